// What differs in kind between releases, and not in a number alone: `kinds` of a release's description chooses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "objects.hpp"

namespace tt::tt_metal {

namespace kinds = hallmark::release::kinds;

// A view of a part of a buffer.
template <typename Buffer, typename Region>
auto view_of(Buffer& buffer, const Region& region) {
    if constexpr (kinds::buffer_is_pointer) {
        return buffer.impl()->view(buffer, region);
    } else {
        return buffer.view(region);
    }
}

#if !HALLMARK_BUFFER_IS_POINTER
// The arguments of sharding without a distribution, which nothing here states.
template <typename Specification, typename Layout>
class ShardingMembers {
public:
    ShardingMembers() = default;
    ShardingMembers(std::optional<Specification> specification, Layout layout)
        : specification_(std::move(specification)), layout_(layout) {}

private:
    alignas(8) unsigned char distribution_[sizes::BufferDistributionSpec]{};
    bool has_distribution_ = false;
    std::optional<Specification> specification_;
    Layout layout_ = Layout::INTERLEAVED;
    bool is_per_core_ = false;
};
#endif

using TileSides = std::array<std::uint32_t, 2>;

// Only upstream fills one in.
class Tile {
public:
    Tile(TileSides shape, TileSides face_shape, bool transpose);
    Tile(TileSides shape, bool transpose);

private:
    std::uint32_t numbers_[sizes::Tile / sizeof(std::uint32_t)]{};
};
static_assert(sizeof(Tile) == sizes::Tile);

inline TileSides faces_of(const Tile& tile) {
    return hallmark::member_at<TileSides>(tile, sizeof(TileSides));
}

// A tile with these faces. Where the constructor takes no faces, upstream chooses them by the shape.
inline Tile make_tile(TileSides shape, TileSides faces, bool transposes) {
    if constexpr (kinds::tile_takes_faces) {
        return Tile(shape, faces, transposes);
    } else {
        Tile tile(shape, transposes);
        if (auto chosen = faces_of(tile); chosen != faces) {
            auto sides = [](TileSides of) { return std::to_string(of[0]) + "x" + std::to_string(of[1]); };
            throw std::invalid_argument(
                "TT-Metalium " + std::string(hallmark::release::version) + " gives a tile of " + sides(shape) +
                " faces of " + sides(chosen) + ", and none of " + sides(faces));
        }
        return tile;
    }
}

}  // namespace tt::tt_metal

namespace tt::tt_metal::distributed {

// It points to its members, or has them itself. The latter has memory of its own only for a mesh of more than eight
// dimensions, which nobody makes here: so nothing is to be freed. Nothing here copies or moves one.
class MeshEvent : Opaque<512> {
public:
    MeshEvent() = default;
    MeshEvent(const MeshEvent&) = delete;
#if HALLMARK_MESH_EVENT_IS_POINTER
    ~MeshEvent();
#endif
};

}  // namespace tt::tt_metal::distributed
