# cmake -DLIST=names -DOUTPUT=file.cpp -DNAMESPACE=n -DHEADER=h.h -P embed_fragments.cmake: NNEF
# texts as string literals.
file(STRINGS "${LIST}" fragments)
set(rows "")
foreach(fragment IN LISTS fragments)
  file(READ "${fragment}" text)
  cmake_path(GET fragment FILENAME name)
  string(APPEND rows "    {\"${name}\", R\"t2n~~(${text})t2n~~\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from the files that its list names.
#include <vector>

#include \"${HEADER}\"

namespace ${NAMESPACE} {

std::span<const nnef::FragmentText> fragment_texts() {
  static const std::vector<nnef::FragmentText> kTexts = {
${rows}  };
  return kTexts;
}

}  // namespace ${NAMESPACE}
")
