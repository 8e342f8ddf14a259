# cmake -DLIST=names -DOUTPUT=file.cpp -P embed_fragments.cmake: NNEF texts as string literals.
file(STRINGS "${LIST}" fragments)
set(rows "")
foreach(fragment IN LISTS fragments)
  file(READ "${fragment}" text)
  cmake_path(GET fragment FILENAME name)
  string(APPEND rows "    {\"${name}\", R\"t2n~~(${text})t2n~~\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from ops/fragments/*.nnef.
#include <vector>

#include \"ops/fragments.h\"

namespace t2n::ops {

std::span<const FragmentText> fragment_texts() {
  static const std::vector<FragmentText> kTexts = {
${rows}  };
  return kTexts;
}

}  // namespace t2n::ops
")
