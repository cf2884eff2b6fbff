//! Deliberate defects of conversions; the suites must detect each of them.

hallmark_chip::planted_defects! {
    /// Tensors: the faces of a tile stand column by column.
    FacesColumnByColumn,
    /// Tensors: what fills up tiles is not what was asked for.
    PaddingForgotten,
    /// Tensors: the rows of all matrices are padded together.
    MatricesPaddedTogether,
    /// Tensors: the stride of the innermost dimension is taken for 1.
    InnermostStrideIgnored,
    /// Tensors: the first element of a block tells the exponent.
    ExponentOfTheFirst,
    /// Tensors: a significand in the middle of two is rounded up.
    SignificandsRoundedUp,
    /// Tensors: rounding carries a significand beyond its largest.
    SignificandsOverflow,
    /// Tensors: of two elements in a byte, the first one has the upper half.
    HalvesOfBytesSwapped,
    /// Tensors: a single is cut off on its way to a bfloat16.
    SinglesCutOff,
    /// Tensors: a NaN keeps its sign and payload as a bfloat16.
    PayloadsKept,
    /// Tensors: fractions are rounded on their way to an integer.
    FractionsRounded,
    /// Tensors: a signed integer counts as one without a sign.
    SignsForgotten,
    /// Tensors: rows that shards cut are not filled up.
    CutRowsUnfilled,
    /// Tensors: a rectangle of shards lies on one core more than it needs.
    ShardsOnOneCoreMore,
    /// Tensors: what a read brings of rows that shards cut keeps what fills them up.
    FillNotTakenOut,
}
