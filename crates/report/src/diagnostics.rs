//! Diagnostics as JSON.

use ludens_gdl::{Diagnostic, Source, Span};
use serde_json::{Map, Value, json};

/// A diagnostic with its places: lines and columns in characters, and offsets in UTF-16 units, as browsers count.
pub fn diagnostic(source: &Source, diagnostic: &Diagnostic) -> Value {
    let mut value = Map::new();
    value.insert("code".to_string(), json!(diagnostic.code.id));
    value.insert("title".to_string(), json!(diagnostic.code.title));
    value.insert("message".to_string(), json!(diagnostic.message));
    value.insert(
        "label".to_string(),
        json!((!diagnostic.label.is_empty()).then_some(&diagnostic.label)),
    );
    value.extend(place(source, diagnostic.span));
    value.insert("help".to_string(), json!(diagnostic.help));
    value.insert("notes".to_string(), json!(diagnostic.notes));
    let related = diagnostic.related.iter().map(|(span, words)| {
        let mut related = Map::new();
        related.insert("message".to_string(), json!(words));
        related.extend(place(source, *span));
        Value::Object(related)
    });
    value.insert("related".to_string(), related.collect());
    Value::Object(value)
}

fn place(source: &Source, span: Span) -> Map<String, Value> {
    let (from, to) = (source.place(span.start), source.place(span.end));
    let units = |text: &str| text.encode_utf16().count();
    let start = units(&source.text()[..span.start as usize]);
    let fields = [
        ("line", from.line),
        ("column", from.column),
        ("end_line", to.line),
        ("end_column", to.column),
        ("start", start),
        ("end", start + units(source.slice(span))),
    ];
    fields
        .into_iter()
        .map(|(name, number)| (name.to_string(), json!(number)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludens_gdl::Description;

    #[test]
    fn places_are_those_of_the_text_in_a_browser() {
        let text = "; 𝄞 é\n(role white)\n(init (cell ?x))";
        let description = Description::read(Source::new("x", text));
        let unsafe_variable = description
            .diagnostics
            .iter()
            .find(|diagnostic| diagnostic.message.contains("?x"));
        let value = diagnostic(&description.source, unsafe_variable.expect("the variable is not safe"));
        let units: Vec<u16> = text.encode_utf16().collect();
        let offset = |name: &str| value[name].as_u64().expect("offsets are numbers") as usize;
        let slice = String::from_utf16_lossy(&units[offset("start")..offset("end")]);
        assert!(slice.contains("?x"), "{slice}");
        assert_eq!(value["line"], 3);
        assert_eq!(
            value["label"].is_null(),
            unsafe_variable.is_some_and(|found| found.label.is_empty())
        );
    }
}
