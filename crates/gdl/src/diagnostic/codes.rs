//! The table of all diagnostics.
//!
//! Codes are stable: a code never changes its meaning, new ones get new numbers. `E` is an error, `W` a warning.
//! 1xx: text; 2xx: form of single rules; 3xx: the rules as a whole; 4xx: what exploring the game shows.

use super::Severity;

/// A kind of diagnostic.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The stable name, e.g. `E304`.
    pub id: &'static str,
    /// Title of diagnostics of this kind.
    pub title: &'static str,
    /// The page of the manual, in Markdown.
    pub page: &'static str,
}

impl Code {
    /// Whether diagnostics of this kind make a game invalid.
    pub fn severity(&self) -> Severity {
        match self.id.starts_with('E') {
            true => Severity::Error,
            false => Severity::Warning,
        }
    }
}

/// The code with this name, whatever its case.
pub fn find(id: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|code| code.id.eq_ignore_ascii_case(id))
}

macro_rules! codes {
    ($($id:literal $name:ident $title:literal)*) => {
        $(
            #[doc = $title]
            pub static $name: Code = Code {
                id: $id,
                title: $title,
                page: include_str!(concat!("../../../../docs/diagnostics/", $id, ".md")),
            };
        )*
        /// Every code, in order.
        pub static ALL: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    "E101" UNCLOSED_PARENTHESIS "an opening parenthesis is never closed"
    "E102" UNMATCHED_PARENTHESIS "a closing parenthesis has no partner"
    "E103" EMPTY_LIST "a pair of parentheses holds nothing"
    "E104" NAMELESS_LIST "a list does not start with a name"
    "E105" NESTING_TOO_DEEP "lists are nested too deeply"
    "E106" TEXT_TOO_LARGE "the text is larger than the limit"
    "E107" INVALID_BYTE "a byte cannot be read as text"
    "E108" NAMELESS_VARIABLE "a question mark stands without a variable name"
    "E109" INFIX_SYNTAX "the infix notation is broken"
    "W110" ODD_CHARACTER "a name holds a character that other programs may not accept"
    "W111" MIXED_CASE "a name is spelled with different capitals"
    "W112" COMMENT_INSIDE_WORD "a comment starts inside a word"
    "E113" NOT_TEXT "the file is not a text file"
    "E114" EMPTY_TEXT "the text has no statement"
    "E201" RULE_WITHOUT_HEAD "a rule has no head"
    "E202" OPERATOR_AS_HEAD "a rule defines an operator"
    "E203" VARIABLE_IN_FACT "a fact holds a variable"
    "E204" OPERATOR_AS_FACT "an operator stands where a fact is expected"
    "E205" OPERATOR_AS_TERM "an operator stands inside a term"
    "E206" VARIABLE_AS_ATOM "a variable stands where a relation is expected"
    "E207" NOT_ARITY "`not` takes exactly one literal"
    "E208" DISTINCT_ARITY "`distinct` takes exactly two terms"
    "E209" KEYWORD_ARITY "a keyword has the wrong number of arguments"
    "E210" KEYWORD_DEFINED "`true` or `does` is defined by the rules"
    "E211" HEAD_KEYWORD_IN_BODY "a keyword that may only be defined is read in a body"
    "E212" ROLE_BY_RULE "a role is defined by a rule"
    "W213" EMPTY_OR "an `or` without alternatives is always false"
    "W214" NESTED_NEGATION "`not` is applied to something other than an atom"
    "W215" TWO_ARITIES "a name is used with different numbers of arguments"
    "W216" RELATION_AND_FUNCTION "a name is both a relation and a function"
    "W217" KEYWORD_IN_TERM "a keyword is used inside a term"
    "W218" EMPTY_BODY "a rule has no conditions"
    "W219" NEEDLESS_PARENTHESES "parentheses stand around a name without arguments"
    "W220" AND_IS_NOT_GDL "`and` is not part of the language"
    "E301" UNSAFE_HEAD "a variable of the head is not bound by the body"
    "E302" UNSAFE_NEGATION "a variable under `not` is not bound"
    "E303" UNSAFE_DISTINCT "a variable of `distinct` is not bound"
    "E304" UNSTRATIFIED "a relation depends on its own negation"
    "E305" RECURSION_RESTRICTION "a recursive rule can build terms without end"
    "E306" STATE_DEPENDENT_START "`init`, `base` or `input` depends on the state"
    "E307" MOVE_DEPENDENT_STATE "`terminal`, `legal` or `goal` depends on the moves being made"
    "E308" GOAL_VALUE "a goal is not a whole number from 0 to 100"
    "E309" NO_ROLE "the game has no role"
    "E310" NO_LEGAL "no legal move is defined"
    "E311" NO_GOAL "no goal is defined"
    "E312" NO_TERMINAL "the end of the game is not defined"
    "W313" NO_INIT "the initial state is empty"
    "W314" NO_NEXT "no next state is defined"
    "W315" UNDEFINED_RELATION "a relation is read but never defined"
    "W316" MISSING_TRUE "a fluent is read without `true`"
    "W317" UNUSED_RELATION "a relation is defined but never used"
    "W318" DUPLICATE_RULE "a rule stands twice"
    "W319" DUPLICATE_ROLE "a role stands twice"
    "W320" NOT_A_ROLE "something that is not a role is used as one"
    "W321" CONSTANT_DISTINCT "a `distinct` never changes"
    "W322" FLUENT_NEVER_TRUE "a fluent is read that never becomes true"
    "W323" MOVE_NEVER_LEGAL "a move is read that is never legal"
    "E401" NO_LEGAL_MOVE "a role has no legal move"
    "W402" NO_END_FOUND "a match can go on without end"
    "E403" NO_GOAL_AT_END "a role has no goal in a terminal state"
    "E404" SEVERAL_GOALS_AT_END "a role has several goals in a terminal state"
    "W405" NOT_WINNABLE "a role can never win"
    "E406" CANNOT_RUN "the rules cannot be run"
    "E407" NO_TERMINAL_STATE "no match can end"
    "E408" GOAL_OUT_OF_REACH "a role can never reach its best goal"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_ordered_and_documented() {
        let numbers: Vec<_> = ALL.iter().map(|code| &code.id[1..]).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        for code in ALL {
            assert!(code.id.starts_with(['E', 'W']), "{}", code.id);
            let heading = format!("# {}: {}\n", code.id, code.title);
            assert!(code.page.starts_with(&heading), "{} lacks its heading", code.id);
            assert!(code.page.len() > 200, "{} has no page worth the name", code.id);
            assert_eq!(find(&code.id.to_lowercase()), Some(*code));
        }
    }
}
