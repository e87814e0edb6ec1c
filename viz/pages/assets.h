// Style and scripts of a page: viz/pages/assets/, as text in the binary.
#pragma once

#include <string_view>

namespace flashscope::pages {

std::string_view page_css();
std::string_view player_js();
std::string_view quiz_js();

}  // namespace flashscope::pages
