// A strict reader of the HTML that our pages consist of: every tag closed in its order, attributes
// in double quotes. Browsers forgive what this does not.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct HtmlElement {
  std::string name;  // empty: a piece of text
  std::map<std::string, std::string> attributes;
  std::string text;  // of a piece of text, decoded; of script and style as it is
  std::vector<std::unique_ptr<HtmlElement>> children;
  HtmlElement* parent = nullptr;

  bool has(const std::string& attribute) const { return attributes.contains(attribute); }
  std::string get(const std::string& attribute) const;
  bool is_of_class(std::string_view wanted) const;
  std::string all_text() const;
  void visit(const std::function<void(const HtmlElement&)>& visitor) const;
  std::vector<const HtmlElement*> find(const std::function<bool(const HtmlElement&)>& is) const;
  std::vector<const HtmlElement*> named(const std::string& wanted) const;
};

// Throws std::runtime_error with the place of what is not well formed.
std::unique_ptr<HtmlElement> parse_html(std::string_view html);
