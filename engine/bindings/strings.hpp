// How text crosses the border: any `str`, with lone surrogates in it too.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace isogloss::bindings {

namespace nb = nanobind;

/// The UTF-8 of a string, as long as both live. Lone surrogates are three bytes each.
class Utf8 {
 public:
  explicit Utf8(nb::handle text) {
    if (!PyUnicode_Check(text.ptr())) throw nb::type_error("a string expected");
    Py_ssize_t size = 0;
    if (const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) {
      view_ = {bytes, static_cast<std::size_t>(size)};
      return;
    }
    PyErr_Clear();
    encoded_ = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
    if (!encoded_.is_valid()) throw nb::python_error();
    char* bytes = nullptr;
    if (PyBytes_AsStringAndSize(encoded_.ptr(), &bytes, &size) != 0) throw nb::python_error();
    view_ = {bytes, static_cast<std::size_t>(size)};
  }

  std::string_view view() const { return view_; }

 private:
  nb::object encoded_;
  std::string_view view_;
};

/// The same for a list of strings, which must not change meanwhile.
class Utf8Lines {
 public:
  explicit Utf8Lines(nb::list lines) {
    texts_.reserve(lines.size());
    views_.reserve(lines.size());
    for (nb::handle line : lines) {
      texts_.push_back(nb::borrow(line));  // somebody may take it out of the list while the GIL is released
      encoded_.emplace_back(line);
      views_.push_back(encoded_.back().view());
    }
  }

  const std::vector<std::string_view>& views() const { return views_; }

 private:
  std::vector<nb::object> texts_;
  std::vector<Utf8> encoded_;
  std::vector<std::string_view> views_;
};

inline nb::object to_str(std::string_view text) {
  PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogatepass");
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

inline nb::list to_list(const std::vector<std::string>& lines) {
  nb::list out;
  for (const std::string& line : lines) out.append(to_str(line));
  return out;
}

/// The words between single spaces; none for an empty line.
inline nb::list to_words(std::string_view line) {
  nb::list words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    words.append(to_str(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

}  // namespace isogloss::bindings
