// Registration only: each room of the engine has a file of its own beside this one.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>

#include "base/error.hpp"

namespace nb = nanobind;

namespace isogloss::bindings {

void bind_features(nb::module_& module);
void bind_grammar(nb::module_& module);
void bind_align(nb::module_& module);
void bind_nbest(nb::module_& module);
void bind_metric(nb::module_& module);
void bind_classes(nb::module_& module);
void bind_learn(nb::module_& module);
void bind_known_forms(nb::module_& module);
void bind_lm(nb::module_& module);
void bind_adapt(nb::module_& module);
void bind_relevant_set(nb::module_& module);
void bind_rerank(nb::module_& module);
void bind_constraint(nb::module_& module);
void bind_selection(nb::module_& module);
void bind_search(nb::module_& module);
void bind_search_result(nb::module_& module);
void bind_neural(nb::module_& module);
void bind_spacing(nb::module_& module);
void bind_text(nb::module_& module);
void bind_text_processing(nb::module_& module);

namespace {

PyObject* line_error = nullptr;  // lives as long as the module, that is, as the process

/// Python sees LineError(problem, line, hint).
void bind_errors(nb::module_& module) {
  line_error = PyErr_NewExceptionWithDoc("isogloss._engine.LineError",
                                         "A line does not have the expected format: problem, line, hint.",
                                         PyExc_ValueError, nullptr);
  module.attr("LineError") = nb::borrow(line_error);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const LineError& error) {
      PyErr_SetObject(line_error, nb::make_tuple(error.what(), error.line, error.hint).ptr());
    }
  });
}

}  // namespace
}  // namespace isogloss::bindings

NB_MODULE(_engine, module) {
  using namespace isogloss::bindings;
  module.doc() = "The compiled engine of isogloss. Private: use the package's own modules.";
  module.def(
      "build_info",
      [] {
        nb::dict info;
        info["compiler"] = ISOGLOSS_COMPILER;
        info["build_type"] = ISOGLOSS_BUILD_TYPE;
        return info;
      },
      nb::sig("def build_info() -> dict[str, str]"), "Compiler and build type of this engine.");
  bind_errors(module);
  bind_grammar(module);
  bind_align(module);
  bind_nbest(module);
  bind_classes(module);
  bind_neural(module);
  bind_spacing(module);
  bind_text(module);
  bind_text_processing(module);
  bind_known_forms(module);
  bind_rerank(module);
  bind_features(module);
  bind_constraint(module);
  bind_search_result(module);
  bind_selection(module);
  bind_search(module);
  bind_metric(module);
  bind_learn(module);
  bind_relevant_set(module);
  bind_lm(module);
  bind_adapt(module);
}
