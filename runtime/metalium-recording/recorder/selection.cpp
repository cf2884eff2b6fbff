#include "selection.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "constants.hpp"

namespace hallmark::recorder {
namespace {

Operation operation(const std::string& text) {
    Operation made{text, std::nullopt};
    bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    if (is_number) {
        auto number = std::strtoull(text.c_str(), nullptr, 10);
        made.number = static_cast<std::uint32_t>(
            std::min<unsigned long long>(number, std::numeric_limits<std::uint32_t>::max()));
    }
    return made;
}

std::vector<Operation> operations(const char* variable) {
    const char* value = std::getenv(variable);
    std::vector<Operation> all;
    std::istringstream list(value == nullptr ? "" : value);
    for (std::string text; std::getline(list, text, ',');) {
        all.push_back(operation(text));
    }
    return all;
}

std::optional<Operation> one_operation(const char* variable) {
    auto all = operations(variable);
    return all.empty() ? std::nullopt : std::optional(all.front());
}

bool holds(const std::vector<Operation>& all, const std::string& launched, std::uint32_t number) {
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.is(launched, number); });
}

}  // namespace

void Selection::prepare() {
    only_ = operations(kOnlyVariable);
    skip_ = operations(kSkipVariable);
    from_ = one_operation(kFromVariable);
    until_ = one_operation(kUntilVariable);
    is_asked_ = !only_.empty() || !skip_.empty() || from_ || until_;
    has_begun_ = !from_;
}

bool Selection::is_in_range(std::uint32_t number) const {
    bool is_behind = until_ && until_->number && number > *until_->number;
    return has_begun_ && !has_ended_ && !is_behind;
}

bool Selection::wants(const std::string& operation) {
    std::uint32_t number = launches_++;
    has_begun_ = has_begun_ || from_->is(operation, number);
    bool is_wanted = is_in_range(number) && (only_.empty() || holds(only_, operation, number)) &&
                     !holds(skip_, operation, number);
    has_ended_ = has_ended_ || (has_begun_ && until_ && until_->is(operation, number));
    if (trace_) {
        traces_[*trace_] |= is_wanted;
    }
    return is_wanted;
}

void Selection::begin_trace(std::uint32_t trace) {
    trace_ = trace;
    traces_.erase(trace);
}

bool Selection::wants_replay(std::uint32_t trace) const {
    auto found = traces_.find(trace);
    bool has_wanted = found == traces_.end() || found->second;
    return has_wanted && is_in_range(launches_);
}

}  // namespace hallmark::recorder
