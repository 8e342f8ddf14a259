# cmake -DFOLDER=page -DDAGRE=dagre.js -DOUTPUT=file.cpp -P embed_page.cmake: the page of src/picture with its style and
# scripts as a string literal; an empty one without the layout library.
set(page "")
if(DAGRE)
  file(READ "${DAGRE}" dagre)
  string(REGEX REPLACE "\nexport [^\n]*dagre;" "\n" dagre "${dagre}")
  if(NOT dagre MATCHES "dagre\\.layout = " OR dagre MATCHES "\nexport ")
    message(FATAL_ERROR "${DAGRE} is not the expected version of dagre")
  endif()
  file(READ "${FOLDER}/licence.js" script)
  string(APPEND script "${dagre}")
  foreach(part model layout colors view panel main)
    file(READ "${FOLDER}/${part}.js" text)
    string(APPEND script "${text}")
  endforeach()
  file(READ "${FOLDER}/page.html" page)
  file(READ "${FOLDER}/page.css" style)
  string(REPLACE "@STYLE@" "${style}" page "${page}")
  string(REPLACE "@SCRIPT@" "${script}" page "${page}")
endif()
file(WRITE "${OUTPUT}" "// Generated.
#include \"src/picture/page.h\"

namespace t2n::picture {

std::string_view page() { return R\"t2n~~(${page})t2n~~\"; }

}  // namespace t2n::picture
")
