//! Compares the output of a command with what a page shows of it.
//!
//! A line `...` stands for any number of lines, and `...` within a line for any text. Times and rates vary from run to
//! run, so numbers beside a unit of time are not compared; [`masked`] has the rules.

/// Words that make a number before them a time or a rate.
const UNITS: [&str; 8] = ["s", "ms", "µs", "seconds", "/s", "a second", "per second", "/ms"];

/// Whether the output is what the page shows.
pub fn agree(expected: &[String], printed: &[&str]) -> bool {
    let expected: Vec<String> = expected.iter().map(|line| masked(line)).collect();
    let printed: Vec<String> = printed.iter().map(|line| masked(line)).collect();
    lines_agree(&expected, &printed)
}

/// Matches lines with `...` as a wildcard for lines; remembers the last wildcard to come back to.
fn lines_agree(expected: &[String], printed: &[String]) -> bool {
    let (mut e, mut p) = (0, 0);
    let mut wildcard: Option<(usize, usize)> = None;
    while p < printed.len() {
        if expected.get(e).is_some_and(|line| line == "...") {
            wildcard = Some((e, p));
            e += 1;
        } else if expected.get(e).is_some_and(|line| line_agrees(line, &printed[p])) {
            (e, p) = (e + 1, p + 1);
        } else if let Some((at, seen)) = wildcard {
            (e, p) = (at + 1, seen + 1);
            wildcard = Some((at, seen + 1));
        } else {
            return false;
        }
    }
    expected[e..].iter().all(|line| line == "...")
}

/// Matches one line with `...` as a wildcard for text.
fn line_agrees(expected: &str, printed: &str) -> bool {
    let mut parts = expected.split("...");
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// The line without what varies: `#` for numbers before a unit of time or right after the word `seconds`. Where a
/// number was masked, runs of spaces count as one, because columns move with the width of numbers.
fn masked(line: &str) -> String {
    let mut result = String::new();
    let mut rest = line.trim_end();
    let mut varies = false;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let length = from
            .find(|c: char| !(c.is_ascii_digit() || c == ',' || c == '.'))
            .unwrap_or(from.len());
        let number = from[..length].trim_end_matches([',', '.']);
        let after = &from[number.len()..];
        result.push_str(before);
        let part_of_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
        if !part_of_name && (is_before_unit(after) || is_after_seconds(before)) {
            result.push('#');
            varies = true;
        } else {
            result.push_str(number);
        }
        rest = after;
    }
    result.push_str(rest);
    if varies {
        result.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        result
    }
}

fn is_before_unit(after: &str) -> bool {
    let after = after.strip_prefix(' ').unwrap_or(after);
    UNITS.iter().any(|unit| {
        after
            .strip_prefix(unit)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

fn is_after_seconds(before: &str) -> bool {
    let before = before.trim_end_matches(['"', ':', ' ']);
    before.ends_with("seconds") || before.ends_with("per second")
}

/// Puts new output into the place of what a page shows, keeping its lines `...`. Returns `None` where lines between
/// two `...` are not in the output any more; such a block is for a person to renew.
pub fn renewed(expected: &[String], printed: &[&str]) -> Option<Vec<String>> {
    let sections: Vec<&[String]> = expected.split(|line| line == "...").collect();
    let (first, sections) = sections.split_first()?;
    let owned = |lines: &[&str]| lines.iter().map(|line| line.trim_end().to_string()).collect::<Vec<_>>();
    let Some((last, middle)) = sections.split_last() else {
        return Some(owned(printed));
    };
    if first.len() + last.len() > printed.len() {
        return Some(owned(printed));
    }
    let (head, rest) = printed.split_at(first.len());
    let (mut rest, tail) = rest.split_at(rest.len() - last.len());
    let mut result = owned(head);
    for section in middle {
        let wanted = masked(section.first()?);
        let at = rest.iter().position(|line| line_agrees(&wanted, &masked(line)))?;
        let end = (at + section.len()).min(rest.len());
        result.push("...".to_string());
        result.extend(owned(&rest[at..end]));
        rest = &rest[end..];
    }
    result.push("...".to_string());
    result.extend(owned(tail));
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_string).collect()
    }

    #[test]
    fn left_out_lines_and_parts_of_lines_may_be_anything() {
        let printed = ["a 1", "b", "c", "d 2"];
        for shown in [
            "a 1\nb\nc\nd 2",
            "...\nd 2",
            "a 1\n...",
            "a...\nb\n...\nd ...",
            "...\nb\n...\nd 2\n...",
        ] {
            assert!(agree(&lines(shown), &printed), "{shown}");
        }
        for shown in ["a 1\nb\nc", "a 2\n...", "...\nc", "...\nc\n...\nb\n...", ""] {
            assert!(!agree(&lines(shown), &printed), "{shown}");
        }
    }

    #[test]
    fn times_and_rates_are_not_compared_but_other_numbers_are() {
        for (one, other) in [
            ("5 steps in 0.002 s", "5 steps in 13.5 s"),
            ("setup seconds        0.014", "setup seconds        11.2"),
            ("  \"seconds\": 0.01,", "  \"seconds\": 7,"),
            ("1,234 playouts/s and 12 ms", "1,234 playouts/s and 3.5 ms"),
        ] {
            assert!(agree(&lines(one), &[other]), "{one}");
        }
        for (one, other) in [
            ("5 steps", "6 steps"),
            ("stones 5", "stones 6"),
            ("5 steps in 0.002 s", "6 steps in 0.002 s"),
            ("--seconds <S> [default: 5]", "--seconds <S> [default: 6]"),
        ] {
            assert!(!agree(&lines(one), &[other]), "{one}");
        }
    }

    #[test]
    fn new_output_keeps_what_a_page_leaves_out() {
        let printed = ["1", "2", "3", "4", "5", "6"];
        for (shown, now) in [
            ("a", "1\n2\n3\n4\n5\n6"),
            ("a\n...\nb\nc", "1\n...\n5\n6"),
            ("...\n3\nx\n...\ny", "...\n3\n4\n...\n6"),
        ] {
            assert_eq!(renewed(&lines(shown), &printed), Some(lines(now)), "{shown}");
        }
        assert_eq!(renewed(&lines("...\nx\n...\ny"), &printed), None);
    }
}
