#include "grammar/run_sorter.hpp"

#include <filesystem>
#include <map>
#include <random>
#include <string>

#include "testing/test.hpp"

using namespace isogloss;
using namespace isogloss::grammar;

namespace {

struct Sum {
  std::uint64_t value = 0;

  Sum() = default;
  explicit Sum(std::uint32_t first) : value(first) {}
  void add(std::uint32_t more) { value += more; }
  void add(const Sum& other) { value += other.value; }
};

std::span<const std::uint8_t> bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

TEST("sorted runs merge to what a map holds, in any amount of memory") {
  const std::string folder = std::filesystem::temp_directory_path().string();
  for (const std::size_t memory : {std::size_t{200}, std::size_t{5000}, std::size_t{1} << 20}) {
    ScratchSpace scratch(folder);
    RunSorter<std::uint32_t, Sum> sorter(scratch, memory);
    std::map<std::string, std::uint64_t> expected;
    std::mt19937 random(7);
    for (int i = 0; i < 4000; ++i) {
      std::string key(random() % 12, 'a');
      for (char& c : key) c = static_cast<char>(random() % 3 * 0x7f);
      sorter.add(bytes(key), i % 100);
      expected[key] += static_cast<std::uint64_t>(i % 100);
    }
    RunMerger<Sum> merger(sorter.finish());
    auto at = expected.begin();
    while (merger.next()) {
      CHECK(at != expected.end());
      const std::string key(merger.key().begin(), merger.key().end());
      CHECK_EQUAL(key, at->first);
      CHECK_EQUAL(merger.sum().value, at->second);
      ++at;
    }
    CHECK(at == expected.end());
  }
}

TEST("a scratch folder that is not there is named") {
  ScratchSpace scratch("/no/such/folder");
  try {
    scratch.new_file();
    CHECK(false);
  } catch (const ScratchError& error) {
    CHECK_EQUAL(error.path, "/no/such/folder/run-0");
    CHECK_EQUAL(error.code, 2);
  }
}
