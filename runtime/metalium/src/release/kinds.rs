//! What differs between releases in kind, and not in a number alone. `interface/differences.hpp` has the C++ of each kind.

/// How an event holds its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum MeshEventKind {
    /// By a pointer.
    Pointer,
    /// By itself.
    Members,
}

/// The sides that the constructor of a tile takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TileKind {
    /// The tile's and its faces'.
    TileAndFaces,
    /// The tile's; upstream chooses the faces by them.
    Tile,
}

/// How a buffer holds its members, and how a configuration holds the arguments of sharding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum BufferKind {
    /// By a pointer; the functions of the object behind it make views.
    Pointer,
    /// By themselves.
    Members,
}

/// The kinds of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kinds {
    pub(super) buffer: BufferKind,
    pub(super) mesh_event: MeshEventKind,
    pub(super) tile: TileKind,
}

impl Kinds {
    /// The kinds by their names in C++, with whether a release has each.
    pub(super) fn named(self) -> [(&'static str, bool); 3] {
        [
            ("buffer_is_pointer", self.buffer == BufferKind::Pointer),
            ("mesh_event_is_pointer", self.mesh_event == MeshEventKind::Pointer),
            ("tile_takes_faces", self.tile == TileKind::TileAndFaces),
        ]
    }
}
