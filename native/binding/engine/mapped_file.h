// A whole file mapped for reading.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

namespace firn::binding {

class MappedFile {
 public:
  // Returns 0, or the errno of the system call that failed. An empty file is mapped nowhere: `file` stays null.
  static int open(const std::string& path, std::shared_ptr<MappedFile>* file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  MappedFile(void* data, size_t size) : data_(data), size_(size) {}
  void* data_;
  size_t size_;
};

}  // namespace firn::binding
