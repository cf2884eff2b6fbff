// Which launches of programs the user asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace hallmark::recorder {

// A launch by its number among all launches, from 0, or each one of an operation.
struct Operation {
    std::string name;
    std::optional<std::uint32_t> number;

    bool is(const std::string& launched, std::uint32_t at) const { return number ? *number == at : name == launched; }
};

// Whoever calls a function holds the lock of the recorder's state. `src/selection.rs` says what is passed in the
// environment, and checks afterwards that all that was asked for came.
class Selection {
public:
    // Reads the environment.
    void prepare();
    // Whether anything may be left out.
    bool is_asked() const { return is_asked_; }
    // Whether nothing is wanted before the first launch.
    bool begins_without() const { return from_.has_value() || !only_.empty(); }
    // Whether a launch is wanted. Each is asked about once, in their order.
    bool wants(const std::string& operation);

    // Launches until the end are those of a trace.
    void begin_trace(std::uint32_t trace);
    void end_trace() { trace_.reset(); }
    bool is_in_trace() const { return trace_.has_value(); }
    // Whether a launch of the trace was wanted, after the first of them.
    bool has_wanted_in_trace() const { return traces_.at(*trace_); }
    // Whether a replay is wanted: a launch of the trace was, and the range is not over.
    bool wants_replay(std::uint32_t trace) const;

private:
    bool is_in_range(std::uint32_t number) const;

    std::vector<Operation> only_;
    std::vector<Operation> skip_;
    std::optional<Operation> from_;
    std::optional<Operation> until_;
    bool is_asked_ = false;
    bool has_begun_ = false;
    bool has_ended_ = false;
    std::uint32_t launches_ = 0;
    std::optional<std::uint32_t> trace_;
    std::unordered_map<std::uint32_t, bool> traces_;
};

}  // namespace hallmark::recorder
