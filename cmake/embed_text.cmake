# cmake -DTEXT=file -DOUTPUT=file.cpp -DNAMESPACE=n -DFUNCTION=f -DHEADER=h.h -P embed_text.cmake: a
# file as a string literal.
file(READ "${TEXT}" text)
file(WRITE "${OUTPUT}" "// Generated.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

std::string_view ${FUNCTION}() { return R\"t2n~~(${text})t2n~~\"; }

}  // namespace ${NAMESPACE}
")
