// See html_tree.h.
#include "tests/pages/html_tree.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace {

const std::set<std::string> kVoid = {"meta", "link", "br", "hr", "input", "img"};
const std::set<std::string> kRaw = {"script", "style"};

std::string decoded(std::string_view text) {
  static const std::vector<std::pair<std::string, std::string>> kEntities = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  std::string result;
  while (!text.empty()) {
    if (text.front() != '&') {
      result += text.front();
      text.remove_prefix(1);
      continue;
    }
    const auto found = std::find_if(kEntities.begin(), kEntities.end(),
                                    [&](const auto& e) { return text.starts_with(e.first); });
    if (found == kEntities.end()) throw std::runtime_error("a lone & in the text");
    result += found->second;
    text.remove_prefix(found->first.size());
  }
  return result;
}

class Reader {
 public:
  explicit Reader(std::string_view html) : html_(html) {}

  std::unique_ptr<HtmlElement> read() {
    auto root = std::make_unique<HtmlElement>();
    if (!take("<!DOCTYPE html>\n")) fail("no doctype");
    at_ = root.get();
    while (place_ < html_.size()) {
      if (html_[place_] != '<') {
        read_text();
      } else if (take("</")) {
        const std::string name = read_name();
        if (at_->name != name) fail("</" + name + "> closes <" + at_->name + ">");
        if (!take(">")) fail("</" + name + " is not closed");
        at_ = at_->parent;
      } else {
        read_element();
      }
    }
    if (at_ != root.get()) fail("<" + at_->name + "> is not closed");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at \"" + std::string(html_.substr(place_, 60)) + "\"");
  }
  bool take(std::string_view text) {
    if (!html_.substr(place_).starts_with(text)) return false;
    place_ += text.size();
    return true;
  }
  std::string read_name() {
    const std::size_t begin = place_;
    while (place_ < html_.size() &&
           (std::isalnum(static_cast<unsigned char>(html_[place_])) || html_[place_] == '-')) {
      ++place_;
    }
    if (begin == place_) fail("no name");
    return std::string(html_.substr(begin, place_ - begin));
  }
  HtmlElement& add(const std::string& name) {
    auto& child = at_->children.emplace_back(std::make_unique<HtmlElement>());
    child->name = name;
    child->parent = at_;
    return *child;
  }
  void read_text() {
    const std::size_t end = std::min(html_.find('<', place_), html_.size());
    const std::string_view text = html_.substr(place_, end - place_);
    if (text.find('>') != std::string_view::npos) fail("a lone >");
    add("").text = decoded(text);
    place_ = end;
  }
  void read_element() {
    ++place_;
    HtmlElement& element = add(read_name());
    while (!take(">")) {
      if (take("/>")) return;  // of SVG
      if (!take(" ")) fail("<" + element.name + ">: no space before an attribute");
      const std::string name = read_name();
      std::string value;
      if (take("=\"")) {
        const std::size_t end = html_.find('"', place_);
        if (end == std::string_view::npos) fail("an open quote");
        const std::string_view raw = html_.substr(place_, end - place_);
        if (raw.find('<') != std::string_view::npos) fail("< in an attribute");
        value = decoded(raw);
        place_ = end + 1;
      }
      if (!element.attributes.emplace(name, value).second) fail(name + " twice");
    }
    if (kVoid.contains(element.name)) return;
    if (kRaw.contains(element.name)) {
      const std::string end = "</" + element.name;
      const std::size_t close = html_.find(end, place_);
      if (close == std::string_view::npos) fail("<" + element.name + "> is not closed");
      element.text = html_.substr(place_, close - place_);
      place_ = close + end.size();
      if (!take(">")) fail("an end that is none");
      return;
    }
    at_ = &element;
  }

  std::string_view html_;
  std::size_t place_ = 0;
  HtmlElement* at_ = nullptr;
};

}  // namespace

std::string HtmlElement::get(const std::string& attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? "" : found->second;
}

bool HtmlElement::is_of_class(std::string_view wanted) const {
  const std::string classes = " " + get("class") + " ";
  return classes.find(" " + std::string(wanted) + " ") != std::string::npos;
}

std::string HtmlElement::all_text() const {
  std::string result = kRaw.contains(name) ? "" : text;
  for (const auto& child : children) result += child->all_text();
  return result;
}

void HtmlElement::visit(const std::function<void(const HtmlElement&)>& visitor) const {
  visitor(*this);
  for (const auto& child : children) child->visit(visitor);
}

std::vector<const HtmlElement*> HtmlElement::find(
    const std::function<bool(const HtmlElement&)>& is) const {
  std::vector<const HtmlElement*> found;
  visit([&](const HtmlElement& element) {
    if (is(element)) found.push_back(&element);
  });
  return found;
}

std::vector<const HtmlElement*> HtmlElement::named(const std::string& wanted) const {
  return find([&](const HtmlElement& element) { return element.name == wanted; });
}

std::unique_ptr<HtmlElement> parse_html(std::string_view html) { return Reader(html).read(); }
