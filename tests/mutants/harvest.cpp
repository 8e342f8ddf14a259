// SPDX-License-Identifier: Apache-2.0
// Says which planted faults each test case reached: lines of T2N_MUTANT_CASES.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/mutants/mutant.h"

namespace {

class Harvest : public doctest::IReporter {
 public:
  explicit Harvest(const doctest::ContextOptions&) {}

  void test_case_start(const doctest::TestCaseData& test) override {
    name_ = test.m_name;
    start_ = std::chrono::steady_clock::now();
  }
  /// A tab-separated line: seconds, numbers, name. What ran before the first case is the first's.
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    const char* const path = std::getenv("T2N_MUTANT_CASES");
    const MutantSwitch& s = mutant_switch();
    if (path == nullptr || s.reached == nullptr) return;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    std::string numbers;
    for (long i = 0; i < s.count; ++i) {
      if (s.reached[i] != 0) numbers += std::to_string(i) + ' ';
      s.reached[i] = 0;
    }
    std::ofstream(path, std::ios::app) << took.count() << '\t' << numbers << '\t' << name_ << '\n';
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

DOCTEST_REGISTER_LISTENER("mutants", 1, Harvest);
