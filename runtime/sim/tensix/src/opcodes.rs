//! The names of instructions by their opcodes, on Wormhole and Blackhole together.

/// The opcodes of the units but those of the matrix unit and the vector unit.
pub(crate) mod opcode {
    /// The instructions of the matrix unit lie between these.
    pub(crate) const FIRST_OF_MATRIX: u32 = 0x08;
    pub(crate) const LAST_OF_MATRIX: u32 = 0x3A;
    pub(crate) const PACR: u32 = 0x41;
    pub(crate) const UNPACR: u32 = 0x42;
    pub(crate) const UNPACR_NOP: u32 = 0x43;
    pub(crate) const RSTDMA: u32 = 0x44;
    pub(crate) const SETDMAREG: u32 = 0x45;
    pub(crate) const REG2FLOP: u32 = 0x48;
    pub(crate) const PACR_SETREG: u32 = 0x4A;
    pub(crate) const SETADC: u32 = 0x50;
    pub(crate) const SETADCXY: u32 = 0x51;
    pub(crate) const INCADCXY: u32 = 0x52;
    pub(crate) const ADDRCRXY: u32 = 0x53;
    pub(crate) const SETADCZW: u32 = 0x54;
    pub(crate) const INCADCZW: u32 = 0x55;
    pub(crate) const ADDRCRZW: u32 = 0x56;
    pub(crate) const SETDVALID: u32 = 0x57;
    pub(crate) const ADDDMAREG: u32 = 0x58;
    pub(crate) const MULDMAREG: u32 = 0x5A;
    pub(crate) const SETADCXX: u32 = 0x5E;
    pub(crate) const DMANOP: u32 = 0x60;
    pub(crate) const STOREREG: u32 = 0x67;
    /// The instructions of the vector unit lie between these.
    pub(crate) const FIRST_OF_VECTOR: u32 = 0x70;
    pub(crate) const LAST_OF_VECTOR: u32 = 0x99;
    pub(crate) const ATGETM: u32 = 0xA0;
    pub(crate) const ATRELM: u32 = 0xA1;
    pub(crate) const STALLWAIT: u32 = 0xA2;
    pub(crate) const SEMINIT: u32 = 0xA3;
    pub(crate) const SEMPOST: u32 = 0xA4;
    pub(crate) const SEMGET: u32 = 0xA5;
    pub(crate) const SEMWAIT: u32 = 0xA6;
    pub(crate) const WRCFG: u32 = 0xB0;
    pub(crate) const RDCFG: u32 = 0xB1;
    pub(crate) const SETC16: u32 = 0xB2;
    pub(crate) const RMWCIB0: u32 = 0xB3;
    pub(crate) const RMWCIB3: u32 = 0xB6;
    pub(crate) const CFGSHIFTMASK: u32 = 0xB8;
}

/// Opcode, name.
const OPCODES: &[(u8, &str)] = &[
    (0x01, "MOP"),
    (0x02, "NOP"),
    (0x03, "MOP_CFG"),
    (0x04, "REPLAY"),
    (0x05, "RESOURCEDECL"),
    (0x08, "MOVD2A"),
    (0x09, "MOVDBGA2D"),
    (0x0a, "MOVD2B"),
    (0x0b, "MOVB2A"),
    (0x0c, "MOVDBGB2D"),
    (0x10, "ZEROACC"),
    (0x11, "ZEROSRC"),
    (0x12, "MOVA2D"),
    (0x13, "MOVB2D"),
    (0x14, "TRNSPSRCA"),
    (0x15, "RAREB"),
    (0x16, "TRNSPSRCB"),
    (0x17, "SHIFTXA"),
    (0x18, "SHIFTXB"),
    (0x1a, "SETASHRMH0"),
    (0x1b, "SETASHRMH1"),
    (0x1c, "SETASHRMV"),
    (0x1d, "SETPKEDGOF"),
    (0x1e, "SETASHRMH"),
    (0x21, "CLREXPHIST"),
    (0x22, "CONV3S1"),
    (0x23, "CONV3S2"),
    (0x24, "MPOOL3S1"),
    (0x25, "APOOL3S1"),
    (0x26, "MVMUL"),
    (0x27, "ELWMUL"),
    (0x28, "ELWADD"),
    (0x29, "DOTPV"),
    (0x30, "ELWSUB"),
    (0x31, "MPOOL3S2"),
    (0x32, "APOOL3S2"),
    (0x33, "GMPOOL"),
    (0x34, "GAPOOL"),
    (0x35, "GATESRCRST"),
    (0x36, "CLEARDVALID"),
    (0x37, "SETRWC"),
    (0x38, "INCRWC"),
    (0x39, "SETIBRWC"),
    (0x3a, "MFCONV3S1"),
    (0x40, "XMOV"),
    (0x41, "PACR"),
    (0x42, "UNPACR"),
    (0x43, "UNPACR_NOP"),
    (0x44, "RSTDMA"),
    (0x45, "SETDMAREG"),
    (0x46, "FLUSHDMA"),
    (0x48, "REG2FLOP"),
    (0x49, "LOADIND"),
    (0x4a, "PACR_SETREG"),
    (0x4b, "TBUFCMD"),
    (0x50, "SETADC"),
    (0x51, "SETADCXY"),
    (0x52, "INCADCXY"),
    (0x53, "ADDRCRXY"),
    (0x54, "SETADCZW"),
    (0x55, "INCADCZW"),
    (0x56, "ADDRCRZW"),
    (0x57, "SETDVALID"),
    (0x58, "ADDDMAREG"),
    (0x59, "SUBDMAREG"),
    (0x5a, "MULDMAREG"),
    (0x5b, "BITWOPDMAREG"),
    (0x5c, "SHIFTDMAREG"),
    (0x5d, "CMPDMAREG"),
    (0x5e, "SETADCXX"),
    (0x60, "DMANOP"),
    (0x61, "ATINCGET"),
    (0x62, "ATINCGETPTR"),
    (0x63, "ATSWAP"),
    (0x64, "ATCAS"),
    (0x66, "STOREIND"),
    (0x67, "STOREREG"),
    (0x68, "LOADREG"),
    (0x70, "SFPLOAD"),
    (0x71, "SFPLOADI"),
    (0x72, "SFPSTORE"),
    (0x73, "SFPLUT"),
    (0x74, "SFPMULI"),
    (0x75, "SFPADDI"),
    (0x76, "SFPDIVP2"),
    (0x77, "SFPEXEXP"),
    (0x78, "SFPEXMAN"),
    (0x79, "SFPIADD"),
    (0x7a, "SFPSHFT"),
    (0x7b, "SFPSETCC"),
    (0x7c, "SFPMOV"),
    (0x7d, "SFPABS"),
    (0x7e, "SFPAND"),
    (0x7f, "SFPOR"),
    (0x80, "SFPNOT"),
    (0x81, "SFPLZ"),
    (0x82, "SFPSETEXP"),
    (0x83, "SFPSETMAN"),
    (0x84, "SFPMAD"),
    (0x85, "SFPADD"),
    (0x86, "SFPMUL"),
    (0x87, "SFPPUSHC"),
    (0x88, "SFPPOPC"),
    (0x89, "SFPSETSGN"),
    (0x8a, "SFPENCC"),
    (0x8b, "SFPCOMPC"),
    (0x8c, "SFPTRANSP"),
    (0x8d, "SFPXOR"),
    (0x8e, "SFP_STOCH_RND"),
    (0x8f, "SFPNOP"),
    (0x90, "SFPCAST"),
    (0x91, "SFPCONFIG"),
    (0x92, "SFPSWAP"),
    (0x93, "SFPLOADMACRO"),
    (0x94, "SFPSHFT2"),
    (0x95, "SFPLUTFP32"),
    (0x96, "SFPLE"),
    (0x97, "SFPGT"),
    (0x98, "SFPMUL24"),
    (0x99, "SFPARECIP"),
    (0xa0, "ATGETM"),
    (0xa1, "ATRELM"),
    (0xa2, "STALLWAIT"),
    (0xa3, "SEMINIT"),
    (0xa4, "SEMPOST"),
    (0xa5, "SEMGET"),
    (0xa6, "SEMWAIT"),
    (0xa7, "STREAMWAIT"),
    (0xb0, "WRCFG"),
    (0xb1, "RDCFG"),
    (0xb2, "SETC16"),
    (0xb3, "RMWCIB0"),
    (0xb4, "RMWCIB1"),
    (0xb5, "RMWCIB2"),
    (0xb6, "RMWCIB3"),
    (0xb7, "STREAMWRCFG"),
    (0xb8, "CFGSHIFTMASK"),
];

/// The name of an instruction, from its word; its documentation is the page of this name.
#[must_use]
pub fn name(word: u32) -> Option<&'static str> {
    let opcode = (word >> 24) as u8;
    let index = OPCODES.binary_search_by_key(&opcode, |entry| entry.0).ok()?;
    OPCODES.get(index).map(|entry| entry.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_rise() {
        assert!(OPCODES.is_sorted_by(|one, other| one.0 < other.0));
    }

    #[test]
    fn the_opcode_alone_names() {
        assert_eq!(name(0x4200_0000), Some("UNPACR"));
        assert_eq!(name(0x42FF_FFFF), Some("UNPACR"));
        assert_eq!(name(0xB800_0001), Some("CFGSHIFTMASK"));
        assert_eq!(name(0x0000_0000), None);
        assert_eq!(name(0xFF00_0000), None);
    }
}
