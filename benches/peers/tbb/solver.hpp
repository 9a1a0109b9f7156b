// The system and the kernels of src/solver.rs in C++: the same formula, the same order of operations.

#pragma once

#include <cstddef>
#include <vector>

constexpr int unknowns = 4096;
constexpr int block_size = 256;
constexpr int blocks = unknowns / block_size;

// y -= a * x for a block that is stored column by column, eight columns at a time.
inline void reduce(const double *a, const double *x, double *__restrict y) {
    for (int col = 0; col < block_size; col += 8) {
        const double *c[8];
        for (int nth = 0; nth < 8; ++nth) c[nth] = a + std::size_t(col + nth) * block_size;
        double f[8];
        for (int nth = 0; nth < 8; ++nth) f[nth] = x[col + nth];
        for (int row = 0; row < block_size; ++row)
            y[row] -= ((c[0][row] * f[0] + c[1][row] * f[1]) + (c[2][row] * f[2] + c[3][row] * f[3])) +
                      ((c[4][row] * f[4] + c[5][row] * f[5]) + (c[6][row] * f[6] + c[7][row] * f[7]));
    }
}

// Solves a * x = y in the place of y, for a lower triangular block.
inline void solve_lower(const double *a, double *__restrict y) {
    for (int col = 0; col < block_size; ++col) {
        const double *column = a + std::size_t(col) * block_size;
        double x = y[col] /= column[col];
        for (int row = col + 1; row < block_size; ++row) y[row] -= column[row] * x;
    }
}

struct System {
    // Block (row, col), col <= row, at row * (row + 1) / 2 + col.
    std::vector<std::vector<double>> stored;
    std::vector<double> right;

    System() {
        for (int block_row = 0; block_row < blocks; ++block_row) {
            for (int block_col = 0; block_col <= block_row; ++block_col) {
                std::vector<double> block(std::size_t(block_size) * block_size);
                for (int place = 0; place < block_size * block_size; ++place)
                    block[place] = entry(block_row * block_size + place % block_size,
                                         block_col * block_size + place / block_size);
                stored.push_back(std::move(block));
            }
        }
        for (int row = 0; row < unknowns; ++row) right.push_back(1.0 + (row % 7) / 8.0);
    }

    static double entry(long row, long col) {
        if (row < col) return 0;
        return row == col ? 2 : double((7 * row + 3 * col) % 11 - 5) / unknowns;
    }

    const double *block(int row, int col) const { return stored[row * (row + 1) / 2 + col].data(); }

    std::vector<double> sequential() const {
        std::vector<double> x = right;
        for (int row = 0; row < blocks; ++row) {
            double *segment = x.data() + row * block_size;
            for (int col = 0; col < row; ++col) reduce(block(row, col), x.data() + col * block_size, segment);
            solve_lower(block(row, row), segment);
        }
        return x;
    }
};
