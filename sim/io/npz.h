// Arrays in numpy's .npz archives (a zip of .npy files), stored or deflated. A member is unpacked
// into memory; encrypted members and other compressions are left out and refused.
#pragma once

#include <string>
#include <vector>

#include "sim/io/array.h"
#include "sim/io/file_bytes.h"

namespace flashscope::io {

// `member` is the name given to np.savez, with or without ".npy". Throws Error when the archive or
// the member is missing, damaged or no supported array. Unpacks no more than the member's own npy
// header declares, and allocates no more than deflate could have packed into the file.
Array read_npz_member(const std::string& path, const std::string& member);
Array parse_npz_member(const FileBytes& file, const std::string& member);

// Names as a user would give them: without ".npy", in the order of the archive.
std::vector<std::string> npz_members(const std::string& path);

}  // namespace flashscope::io
