#include "base/parallel.hpp"

#include <pthread.h>

#include <cstddef>
#include <vector>

#include "testing/test.hpp"

#ifdef __GLIBC__

namespace {

/// While it lives no thread can be started: none has room for a stack of this size.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&usual_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 50);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }

 private:
  pthread_attr_t usual_;
};

}  // namespace

TEST("parallel_for does all the work alone where no thread can be started") {
  const NoThreads guard;
  std::vector<std::size_t> workers(1000, 99);
  isogloss::parallel_for(workers.size(), 8, [&](std::size_t item, std::size_t worker) { workers[item] = worker; });
  for (std::size_t worker : workers) CHECK_EQUAL(worker, 0u);
}

#endif
