// The workloads on oneTBB's flow graph: `peers WORKLOAD THREADS SIZE` prints nanoseconds and the answer.
// `peers version` prints the version of the library. Making and taking down a graph are not timed; a small run
// goes before each timed one.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/version.h>

#include "solver.hpp"

namespace flow = oneapi::tbb::flow;
using Value = std::uint64_t;
using Step = flow::function_node<Value, Value>;
using Clock = std::chrono::steady_clock;

constexpr int links = 64;
constexpr Value wave_mask = 0xffffffff;

struct Outcome {
    double nanos;
    double answer;
};

// Times `work`, and asks for the answer afterwards.
static Outcome timed(const std::function<void()> &work, const std::function<double()> &answer) {
    auto began = Clock::now();
    work();
    double nanos = std::chrono::duration<double, std::nano>(Clock::now() - began).count();
    return {nanos, answer()};
}

// Waves of up to 1024 values, as Hasse sends them: 0, 1, 2, ... and again from 0.
static Value nth_value(Value nth, Value size) { return nth % (size < 1024 ? size : 1024); }

static Outcome chain(Value size) {
    flow::graph graph;
    Value total = 0;
    std::vector<std::unique_ptr<Step>> nodes;
    for (int n = 0; n + 1 < links; ++n) {
        nodes.push_back(std::make_unique<Step>(graph, flow::serial, [](Value x) { return x + 1; }));
        if (n > 0) flow::make_edge(*nodes[n - 1], *nodes[n]);
    }
    flow::function_node<Value> last(graph, flow::serial, [&](Value x) { total += x + 1; });
    flow::make_edge(*nodes.back(), last);
    return timed(
        [&] {
            for (Value nth = 0; nth < size; ++nth) nodes[0]->try_put(nth_value(nth, size));
            graph.wait_for_all();
        },
        [&] { return double(total); });
}

static Outcome ring(Value size) {
    using Hop = flow::multifunction_node<Value, std::tuple<Value>>;
    flow::graph graph;
    Value hops = links * size, last = 0;
    // The one node that can let go of the value has two ways out; all others are plain.
    Hop first(graph, flow::serial, [&](const Value &x, Hop::output_ports_type &out) {
        if (x < hops) std::get<0>(out).try_put(x + 1);
        else last = x;
    });
    std::vector<std::unique_ptr<Step>> nodes;
    for (int n = 1; n < links; ++n) {
        nodes.push_back(std::make_unique<Step>(graph, flow::serial, [](Value x) { return x + 1; }));
        if (n > 1) flow::make_edge(*nodes[n - 2], *nodes[n - 1]);
    }
    flow::make_edge(flow::output_port<0>(first), *nodes.front());
    flow::make_edge(*nodes.back(), first);
    return timed(
        [&] {
            first.try_put(0);
            graph.wait_for_all();
        },
        [&] { return double(last); });
}

// Leads branches from `from` on to the ports of a join.
template <typename Join, std::size_t... port>
static void connect(std::vector<std::unique_ptr<Step>> &branches, int from, Join &join, std::index_sequence<port...>) {
    (flow::make_edge(*branches[from + port], flow::input_port<port>(join)), ...);
}

// Joins of 8 and 8, then 2: a join node has at most 10 ports.
static Outcome fan(Value size) {
    using Eight = std::tuple<Value, Value, Value, Value, Value, Value, Value, Value>;
    flow::graph graph;
    Value total = 0;
    Step send(graph, flow::serial, [](Value x) { return x + 1; });
    std::vector<std::unique_ptr<Step>> branches;
    for (int n = 0; n < 16; ++n) {
        branches.push_back(std::make_unique<Step>(graph, flow::serial, [](Value x) { return x + 1; }));
        flow::make_edge(send, *branches[n]);
    }
    flow::join_node<Eight, flow::queueing> left(graph), right(graph);
    connect(branches, 0, left, std::make_index_sequence<8>{});
    connect(branches, 8, right, std::make_index_sequence<8>{});
    flow::join_node<std::tuple<Eight, Eight>, flow::queueing> both(graph);
    flow::make_edge(left, flow::input_port<0>(both));
    flow::make_edge(right, flow::input_port<1>(both));
    auto sum = [](const Eight &eight) {
        return std::apply([](auto... value) { return (value + ...); }, eight);
    };
    flow::function_node<std::tuple<Eight, Eight>> join(graph, flow::serial, [&](const std::tuple<Eight, Eight> &v) {
        total += sum(std::get<0>(v)) + sum(std::get<1>(v));
    });
    flow::make_edge(both, join);
    return timed(
        [&] {
            for (Value nth = 0; nth < size; ++nth) send.try_put(nth_value(nth, size));
            graph.wait_for_all();
        },
        [&] { return double(total); });
}

static Outcome merge(Value size) {
    flow::graph graph;
    Value total = 0;
    flow::function_node<Value> sink(graph, flow::serial, [&](Value x) { total += x; });
    std::vector<std::unique_ptr<flow::input_node<Value>>> producers;
    for (int n = 0; n < 8; ++n) {
        producers.push_back(std::make_unique<flow::input_node<Value>>(
            graph, [size, nth = Value(0)](oneapi::tbb::flow_control &control) mutable -> Value {
                if (nth == size) {
                    control.stop();
                    return 0;
                }
                return ++nth;
            }));
        flow::make_edge(*producers[n], sink);
    }
    return timed(
        [&] {
            for (auto &producer : producers) producer->activate();
            graph.wait_for_all();
        },
        [&] { return double(total); });
}

// One function node, and one join that matches what comes from north and west by cell: the closest that
// there is to instances that are created by their first value.
static Outcome wavefront(Value n) {
    struct Token {
        std::uint32_t cell, value;
    };
    using Pair = std::tuple<Token, Token>;
    flow::graph graph;
    Value answer = 0;
    auto key = [](const Token &token) { return token.cell; };
    flow::join_node<Pair, flow::key_matching<std::uint32_t>> join(graph, key, key);
    flow::function_node<Pair> cell(graph, flow::unlimited, [&](const Pair &pair) {
        auto at = std::get<0>(pair).cell;
        auto c = std::uint32_t((Value(std::get<0>(pair).value) + std::get<1>(pair).value) & wave_mask);
        Value i = at / n, j = at % n;
        if (i + 1 < n) flow::input_port<0>(join).try_put({std::uint32_t(at + n), c});
        if (j + 1 < n) flow::input_port<1>(join).try_put({at + 1, c});
        if (i + 1 == n && j + 1 == n) answer = c;
    });
    flow::make_edge(join, cell);
    return timed(
        [&] {
            for (Value j = 0; j < n; ++j) flow::input_port<0>(join).try_put({std::uint32_t(j), 1});
            for (Value i = 0; i < n; ++i) flow::input_port<1>(join).try_put({std::uint32_t(i * n), 1});
            graph.wait_for_all();
        },
        [&] { return double(answer); });
}

static Outcome counter(Value size) {
    flow::graph graph;
    std::mutex mutex;
    Value count = 0;
    std::vector<std::unique_ptr<flow::input_node<Value>>> producers;
    std::vector<std::unique_ptr<flow::function_node<Value>>> adders;
    for (int n = 0; n < 4; ++n) {
        producers.push_back(std::make_unique<flow::input_node<Value>>(
            graph, [size, nth = Value(0)](oneapi::tbb::flow_control &control) mutable -> Value {
                if (nth == size) {
                    control.stop();
                    return 0;
                }
                return ++nth;
            }));
        adders.push_back(std::make_unique<flow::function_node<Value>>(graph, flow::serial, [&](Value) {
            std::lock_guard<std::mutex> lock(mutex);
            ++count;
        }));
        flow::make_edge(*producers[n], *adders[n]);
    }
    return timed(
        [&] {
            for (auto &producer : producers) producer->activate();
            graph.wait_for_all();
        },
        [&] { return double(count); });
}

// A task for each block on or below the diagonal, as a graph of continue nodes made once.
static Outcome solve(Value size) {
    using Task = flow::continue_node<flow::continue_msg>;
    static const System system;
    std::vector<double> x(unknowns);
    flow::graph graph;
    std::vector<std::unique_ptr<Task>> tasks;
    auto task = [&](int row, int col) -> Task & { return *tasks[row * (row + 1) / 2 + col]; };
    for (int row = 0; row < blocks; ++row) {
        for (int col = 0; col <= row; ++col) {
            tasks.push_back(std::make_unique<Task>(graph, [&x, row, col](const flow::continue_msg &) {
                double *segment = x.data() + row * block_size;
                if (row == col) solve_lower(system.block(row, row), segment);
                else reduce(system.block(row, col), x.data() + col * block_size, segment);
            }));
            if (col > 0) flow::make_edge(task(row, col - 1), task(row, col));
            if (row != col) flow::make_edge(task(col, col), task(row, col));
        }
    }
    return timed(
        [&] {
            for (Value round = 0; round < size; ++round) {
                x = system.right;
                task(0, 0).try_put({});
                graph.wait_for_all();
            }
        },
        [&] {
            std::vector<double> expected = system.sequential();
            double sum = 0;
            for (int row = 0; row < unknowns; ++row) {
                if (!(std::abs(x[row] - expected[row]) < 1e-9)) return std::nan("");
                sum += x[row] * (row % 13 + 1);
            }
            return sum;
        });
}

int main(int argc, char **argv) {
    if (argc == 2 && !std::strcmp(argv[1], "version")) {
        std::printf("%d.%d.%d\n", TBB_VERSION_MAJOR, TBB_VERSION_MINOR, TBB_VERSION_PATCH);
        return 0;
    }
    if (argc != 4) {
        std::fprintf(stderr, "peers WORKLOAD THREADS SIZE\n");
        return 2;
    }
    const std::pair<const char *, Outcome (*)(Value)> workloads[] = {
        {"chain", chain},         {"ring", ring},       {"fan", fan},    {"merge", merge},
        {"wavefront", wavefront}, {"counter", counter}, {"solve", solve}};
    oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, std::atoi(argv[2]));
    Value size = std::strtoull(argv[3], nullptr, 10);
    for (auto [name, run] : workloads) {
        if (std::strcmp(name, argv[1])) continue;
        run(size / 10 + 1);
        Outcome outcome = run(size);
        std::printf("%.0f %.17g\n", outcome.nanos, outcome.answer);
        return 0;
    }
    std::fprintf(stderr, "no workload %s\n", argv[1]);
    return 2;
}
