#include <new>
#include <stdexcept>
#include <string>

#include "binding/engine/status_of.h"
#include "test/check.h"

namespace {

using firn::Status;
using firn::binding::status_of;

TEST_CASE("a status passes the seam to JavaScript as it is") {
  for (const Status status :
       {Status::ok, Status::corrupt, Status::truncated, Status::invalid_argument, Status::unsupported}) {
    CHECK_EQ(status_of([=] { return status; }), status);
  }
}

TEST_CASE("memory that is not there is out_of_memory at the seam, also of an array too long to count") {
  CHECK_EQ(status_of([]() -> Status { throw std::bad_alloc(); }), Status::out_of_memory);
  CHECK_EQ(status_of([]() -> Status { throw std::bad_array_new_length(); }), Status::out_of_memory);
}

TEST_CASE("any other exception is internal at the seam: the caller's arguments are not to blame") {
  CHECK_EQ(status_of([]() -> Status { throw std::length_error("vector"); }), Status::internal);
  CHECK_EQ(status_of([]() -> Status { throw std::runtime_error("anything"); }), Status::internal);
  CHECK_EQ(status_of([]() -> Status { throw 7; }), Status::internal);
}

TEST_CASE("every status has a sentence of its own") {
  for (const Status status : {Status::ok, Status::corrupt, Status::truncated, Status::invalid_argument,
                              Status::out_of_memory, Status::unsupported, Status::internal, Status::gone}) {
    CHECK(std::string(firn::status_text(status)) != "unknown status");
  }
}

}  // namespace
