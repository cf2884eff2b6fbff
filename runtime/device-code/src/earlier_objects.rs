//! Objects of the data-movement API that earlier releases of TT-Metalium had in the namespace `experimental`, which the compiler
//! does not find there. Headers cannot refuse them: kernels open that namespace, and their own code names the objects in it.

/// The objects that have no namespace today.
const OBJECTS: [&str; 12] = [
    "AllocatorBank",
    "CircularBuffer",
    "CoreLocalMem",
    "DataflowBuffer",
    "Lock",
    "MulticastEndpoint",
    "Noc",
    "PrecomposedUnicastEndpoint",
    "Semaphore",
    "UnicastEndpoint",
    "noc_traits_t",
    "use",
];

/// Today's name for the object that an error is about, by the compiler's sentence and its lines.
pub(super) fn today(message: &str, lines: &[String]) -> Option<String> {
    let is_missing = message.contains("is not a member of 'experimental'")
        || message.contains("'experimental' has not been declared");
    let mut named = lines.iter().filter(|_| is_missing).filter_map(|line| {
        let (_, rest) = line.split_once("experimental::")?;
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let name = end.map_or(Some(rest), |end| rest.get(..end))?;
        OBJECTS.contains(&name).then(|| format!("today this is {name}, without experimental::"))
    });
    named.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_of_an_earlier_release_is_told_today() {
        let lines = |line: &str| ["k.cpp:3:1: error: …".to_owned(), format!("    3 | {line}")];
        let absent = "'Noc' is not a member of 'experimental'; did you mean 'Noc'?";
        let told = |message: &str, line: &str| today(message, &lines(line));
        let noc = Some("today this is Noc, without experimental::".to_owned());
        assert_eq!(told(absent, "experimental::Noc noc;"), noc);
        assert_eq!(told("'experimental' has not been declared", "experimental::Noc noc;"), noc);
        assert_eq!(told(absent, "experimental::Nocturne noc;"), None);
        assert_eq!(told(absent, "experimental::Noc"), noc);
        assert_eq!(told("expected ';'", "experimental::Noc noc"), None);
        assert_eq!(today(absent, &[]), None);
    }
}
