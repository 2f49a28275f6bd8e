#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace isogloss {

/// Calls `work(item, worker)` once for each item in [0, items), on up to `threads` threads. Where the machine refuses
/// to start this many, those that run do all the work; the caller's is always one of them.
///
/// Items are claimed in order. Results must depend on the item alone, never on the worker, which is there
/// for scratch space only. The first exception stops further claims and is thrown to the caller.
template <class Work>
void parallel_for(std::size_t items, std::size_t threads, Work&& work) {
  if (threads > items) threads = items;
  if (threads <= 1) {
    for (std::size_t item = 0; item < items; ++item) work(item, std::size_t{0});
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto run = [&](std::size_t worker) {
    try {
      for (std::size_t item; (item = next.fetch_add(1)) < items;) work(item, worker);
    } catch (...) {
      const std::lock_guard<std::mutex> guard(failure_lock);
      if (!failure) failure = std::current_exception();
      next = items;
    }
  };
  std::vector<std::thread> pool;
  pool.reserve(threads - 1);  // nothing but a refused thread may fail while others run
  try {
    while (pool.size() + 1 < threads) pool.emplace_back(run, pool.size() + 1);
  } catch (const std::exception&) {  // there are no more to be had
  }
  run(0);
  for (std::thread& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace isogloss
