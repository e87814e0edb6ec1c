// Tables of the user's own, as text, for the tests of .alg files: the declarations that
// FlashAttention-2 needs, and what stands under them.
#pragma once

#include <string>

namespace flashscope::test {

inline const std::string kDeclarations = R"(algorithm mine
hbm        Q                   q_len x head_dim    input
hbm        K, V                kv_len x head_dim   input
hbm        O                   q_len x head_dim    output
hbm        LSE                 q_len               fp32
shared     Q                   q_tile x head_dim   input
shared     K, V                kv_tile x head_dim  input
registers  S                   q_tile x kv_tile    score
registers  P                   q_tile x kv_tile    probability
registers  O                   q_tile x head_dim   accumulator
registers  m, l, m_new, alpha  q_tile              fp32
registers  LSE                 q_tile              fp32
)";

// FlashAttention-2 in another arrangement: from the last key to the first, V loaded late, the sum
// in two statements, the first step rescaled like any other, every tile masked.
inline const std::string kBackwards = R"(phase attention
grid batch, head, q_tile
  load Q
  m = -inf
  l = 0
  O = 0
  for descending kv_tile
    load K
    S = Q K'
    S = scale * S
    mask S
    m_new = max(m, rowmax S)
    alpha = exp(m - m_new)
    O = alpha * O
    l = alpha * l
    P = exp(S - m_new)
    m = m_new
    l = l + rowsum P
    cast P to probability
    load V
    O = O + P V
  LSE = m + ln l
  store LSE
  O = O / l
  store O
)";

// Softmax in two passes over the keys: the first finds m alone, so nothing is ever rescaled.
inline const std::string kTwoPasses = R"(hbm        m_work              q_len               fp32
phase maxima
grid batch, head, q_tile
  load Q
  m = -inf
  for kv_tile
    load K
    S = scale * Q K'
    mask S                      when not full
    m = max(m, rowmax S)
  store m to m_work
phase sums
grid batch, head, q_tile
  load Q
  load m from m_work
  l = 0
  O = 0
  for kv_tile
    load K
    load V
    S = scale * Q K'
    mask S                      when not full
    P = exp(S - m)
    l = l + rowsum P
    cast P to probability
    O = O + P V
  O = O / l
  LSE = m + ln l
  store O
  store LSE
)";

}  // namespace flashscope::test
