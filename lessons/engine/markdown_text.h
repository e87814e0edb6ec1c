// The smallest pieces of Markdown: character references and the addresses of links.
#pragma once

#include <string>
#include <string_view>

namespace flashscope::lessons {

// "&amp;", "&times;", "&#955;" or "&#x3bb;" in UTF-8; a name that is not known stays as it is.
std::string decode_entity(std::string_view entity);

// Whether a link may lead there: http, https, a relative address or "#…". Everything else a browser
// might run or hand to another program.
bool is_harmless_target(std::string_view target);

}  // namespace flashscope::lessons
