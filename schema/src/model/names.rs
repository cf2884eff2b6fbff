//! Text forms of the chip crate's enums, which knows nothing of serde.

/// An architecture by its name.
pub(crate) mod architecture {
    use hallmark_chip::Architecture;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        architecture: &Architecture,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(architecture.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Architecture, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A fault's category by its name.
pub(crate) mod fault_category {
    use hallmark_chip::FaultCategory;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        category: &FaultCategory,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(category.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<FaultCategory, D::Error> {
        let name = String::deserialize(from)?;
        FaultCategory::from_name(&name)
            .ok_or_else(|| serde::de::Error::custom(format!("`{name}` is no category of faults")))
    }
}
