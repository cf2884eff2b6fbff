//! Headers that a kernel includes and that neither the suites nor Hallmark has.

use std::fmt;

use super::headers;

/// The kind of a missing header, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingHeader {
    /// TT-Metalium's for kernels of several chips.
    SeveralChips,
    /// TT-Metalium's for kernels that work on what its host API makes and Hallmark's does not.
    Unmade {
        /// What the host makes, in the plural.
        made: &'static str,
    },
    /// TT-Metalium's by the path of an earlier release.
    Earlier {
        /// Today's path, which Hallmark has.
        today: String,
    },
    /// Another one of TT-Metalium's API.
    Upstream {
        /// The headers of the same folder that Hallmark has.
        others: Vec<String>,
    },
    /// Any other one.
    Unknown,
}

/// The folders of TT-Metalium's headers for kernels.
const UPSTREAM: [&str; 8] = [
    "api/",
    "experimental/",
    "internal/",
    "hostdevcommon/",
    "hw/inc/",
    "tt-metalium/",
    "tt_metal/",
    "tools/profiler/",
];

/// Parts of the names of its headers for fabric and Ethernet.
const SEVERAL_CHIPS: [&str; 5] =
    ["fabric", "packet_header_pool", "ethernet/", "eth_l1_address_map", "erisc"];

/// Names of its headers for what only its host makes, and what that is.
const UNMADE: [(&str, &str); 4] = [
    ("hostdev/socket", "sockets"),
    ("prefetcher_pipe", "prefetcher pipes"),
    ("dram_sender_credit_counters", "prefetcher pipes"),
    ("cross_node_dfb", "dataflow buffers across nodes"),
];

/// Folders and files of earlier releases, and what stands in their place today.
const EARLIER: [(&str, &str); 14] = [
    ("compute_kernel_api.h", "api/compute/compute_kernel_api.h"),
    ("compute_kernel_api/", "api/compute/"),
    ("dataflow_api.h", "api/dataflow/dataflow_api.h"),
    ("debug/", "api/debug/"),
    ("accessor/tensor_accessor.h", "api/tensor/tensor_accessor.h"),
    ("accessor/tensor_accessor_args.h", "api/tensor/tensor_accessor_args.h"),
    ("experimental/circular_buffer.h", "api/dataflow/circular_buffer.h"),
    ("experimental/core_local_mem.h", "api/core_local_mem.h"),
    ("experimental/dataflow_buffer.h", "api/dataflow/dataflow_buffer.h"),
    ("experimental/endpoints.h", "api/dataflow/endpoints.h"),
    ("experimental/lock.h", "api/lock.h"),
    ("experimental/noc.h", "api/dataflow/noc.h"),
    ("experimental/noc_semaphore.h", "api/dataflow/noc_semaphore.h"),
    ("experimental/tensor.h", "api/tensor/noc_traits.h"),
];

/// Today's path of a header by its path of an earlier release.
fn today(include: &str) -> Option<String> {
    EARLIER.iter().find_map(|(earlier, today)| {
        let rest = include.strip_prefix(earlier)?;
        (rest.is_empty() || earlier.ends_with('/')).then(|| format!("{today}{rest}"))
    })
}

impl MissingHeader {
    /// The kind of a header that was not found.
    pub(super) fn of(include: &str) -> Self {
        let is_upstream = UPSTREAM.iter().any(|folder| include.starts_with(folder));
        if SEVERAL_CHIPS.iter().any(|part| include.contains(part)) {
            return Self::SeveralChips;
        }
        match today(include) {
            Some(today) if headers::names().any(|name| name == today) => {
                return Self::Earlier { today };
            }
            Some(today) if today.starts_with("api/compute/") => return Self::of(&today),
            _ if !is_upstream => return Self::Unknown,
            _ => {}
        }
        if let Some((_, made)) = UNMADE.iter().find(|(name, _)| include.contains(name)) {
            return Self::Unmade { made };
        }
        let folder = include.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_beside = |name: &&str| name.rsplit_once('/').map_or("", |(it, _)| it) == folder;
        let mut others: Vec<_> = headers::names().filter(is_beside).map(str::to_owned).collect();
        others.sort();
        others.dedup();
        Self::Upstream { others }
    }
}

impl fmt::Display for MissingHeader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SeveralChips => formatter.write_str(
                "is a header of TT-Metalium's for fabric or Ethernet, and these need several chips, which Hallmark does not have yet",
            ),
            Self::Unmade { made } => write!(
                formatter,
                "is a header of TT-Metalium's for {made}, which the host makes, and Hallmark's host API does not have them yet",
            ),
            Self::Earlier { today } => write!(
                formatter,
                "was not found: it is the path of an earlier release of TT-Metalium's, and today's is `{today}`",
            ),
            Self::Upstream { others } => {
                formatter.write_str(
                    "was not found: Hallmark does not have this header of TT-Metalium's; it has ",
                )?;
                if others.is_empty() {
                    return formatter.write_str("those that `hallmark kernels api` describes");
                }
                let others: Vec<_> = others.iter().map(|name| format!("`{name}`")).collect();
                formatter.write_str(&others.join(", "))
            }
            Self::Unknown => formatter.write_str(
                "was not found beside the file, in the suites, or among Hallmark's headers",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_header_is_told_by_its_kind() {
        let text = |include| MissingHeader::of(include).to_string();
        for include in [
            "tt_metal/fabric/hw/inc/tt_fabric_api.h",
            "tt_metal/fabric/hw/inc/edm_fabric/fabric_connection_manager.hpp",
            "tt_metal/fabric/hw/inc/packet_header_pool.h",
            "internal/ethernet/dataflow_api.h",
        ] {
            assert!(text(include).contains("need several chips"), "{include}");
        }
        for (include, made) in [
            ("hw/inc/hostdev/socket.h", "sockets, which the host makes"),
            ("internal/prefetcher_pipe_init.h", "prefetcher pipes"),
            ("api/dataflow/cross_node_dfb.h", "dataflow buffers across nodes"),
        ] {
            assert!(text(include).contains(made), "{include}");
        }
        assert!(text("shared/socket_api.h").ends_with("or among Hallmark's headers"));
        let lock = text("api/dataflow/buf_rw_note.h");
        assert!(lock.contains("does not have this header of TT-Metalium's; it has "), "{lock}");
        assert!(lock.contains("`api/dataflow/noc.h`"), "{lock}");
        assert!(!lock.contains("api/tensor/"), "{lock}");
        assert!(text("api/none/none.h").ends_with("`hallmark kernels api` describes"));
        for (include, today) in [
            ("compute_kernel_api.h", "api/compute/compute_kernel_api.h"),
            ("compute_kernel_api/common.h", "api/compute/common.h"),
            ("compute_kernel_api/eltwise_unary/exp.h", "api/compute/eltwise_unary/exp.h"),
            ("dataflow_api.h", "api/dataflow/dataflow_api.h"),
            ("debug/dprint.h", "api/debug/dprint.h"),
            ("experimental/noc.h", "api/dataflow/noc.h"),
            ("experimental/tensor.h", "api/tensor/noc_traits.h"),
            ("accessor/tensor_accessor.h", "api/tensor/tensor_accessor.h"),
        ] {
            let text = text(include);
            assert!(text.ends_with(&format!("today's is `{today}`")), "{text}");
        }
        assert!(text("compute_kernel_api/blank.h").contains("`api/compute/pack.h`"));
        for include in ["shared/my_own.h", "compute_kernel_api.hpp", "debug/my_own.h"] {
            assert!(text(include).ends_with("or among Hallmark's headers"), "{include}");
        }
    }
}
