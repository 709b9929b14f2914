//! Examples of the literature with their known answers. The programs are written for this test after the sources named.

mod common;

use common::{ask, ask_by};
use ludens_delp::Verdict::{self, No, Undecided, Unknown, Yes};
use ludens_delp::{Criterion, Program};
use ludens_gdl::Source;

struct Example {
    source: &'static str,
    program: &'static str,
    answers: &'static [(&'static str, Verdict)],
}

const EXAMPLES: &[Example] = &[
    Example {
        source: "García and Simari 2004: tina the chicken is scared",
        program: "bird(X) <- chicken(X). bird(X) <- penguin(X). ~flies(X) <- penguin(X). chicken(tina). penguin(tweety).
                  scared(tina). flies(X) -< bird(X). ~flies(X) -< chicken(X). flies(X) -< chicken(X), scared(X).
                  nests(X) -< flies(X).",
        answers: &[
            ("flies(tina)", Yes),
            ("~flies(tina)", No),
            ("flies(tweety)", No),
            ("bird(tina)", Yes),
            ("nests(tina)", Yes),
            ("nests(tweety)", Undecided),
            ("flies(zeus)", Unknown),
        ],
    },
    Example {
        source: "García and Simari 2004: a chicken that nothing scares",
        program: "bird(X) <- chicken(X). chicken(tina). flies(X) -< bird(X). ~flies(X) -< chicken(X).
                  flies(X) -< chicken(X), scared(X). nests(X) -< flies(X).",
        answers: &[("flies(tina)", No), ("~flies(tina)", Yes), ("nests(tina)", Undecided)],
    },
    Example {
        source: "García and Simari 2004: shares of a company in a fusion with a strong one",
        program: "goodPrice(acme). inFusion(acme, estron). strong(estron). buy(X) -< goodPrice(X).
                  ~buy(X) -< goodPrice(X), risky(X). risky(X) -< inFusion(X, Y). risky(X) -< closing(X).
                  ~risky(X) -< inFusion(X, Y), strong(Y).",
        answers: &[("buy(acme)", Yes), ("risky(acme)", No)],
    },
    Example {
        source: "García and Simari 2004: shares of a company in a fusion with an unknown one",
        program: "goodPrice(acme). inFusion(acme, estron). buy(X) -< goodPrice(X). ~buy(X) -< goodPrice(X), risky(X).
                  risky(X) -< inFusion(X, Y). ~risky(X) -< inFusion(X, Y), strong(Y).",
        answers: &[("buy(acme)", No), ("risky(acme)", Yes)],
    },
    Example {
        source: "García and Simari 2004: lights of a room, with and without electricity",
        program: "switchOn(a). switchOn(b). ~electricity(b). emergencyLights(b). ~switchOn(c). room(d).
                  ~lightsOn(X) <- ~switchOn(X). lightsOn(X) -< switchOn(X). ~lightsOn(X) -< switchOn(X), ~electricity(X).
                  lightsOn(X) -< switchOn(X), ~electricity(X), emergencyLights(X). dark(X) -< ~lightsOn(X).",
        answers: &[
            ("lightsOn(a)", Yes),
            ("lightsOn(b)", Yes),
            ("lightsOn(c)", No),
            ("lightsOn(d)", Undecided),
            ("dark(c)", Yes),
        ],
    },
    Example {
        source: "García and Simari 2004: presumptions give way to arguments from facts",
        program: "student(eve). ~lazy(X) -< . lazy(X) -< student(X). tired(X) -< .",
        answers: &[("lazy(eve)", Yes), ("tired(eve)", Yes)],
    },
    Example {
        source: "García and Simari 2004: a blocking defeater is not answered by a blocking one",
        program: "a. b. c. p -< a. ~p -< q. q -< b. ~q -< c.",
        answers: &[("p", Undecided), ("q", Undecided)],
    },
    Example {
        source: "García and Simari 2004: a blocking defeater is answered by a proper one",
        program: "a. b. c. p -< a. ~p -< q. q -< b. ~q -< b, c.",
        answers: &[("p", Yes), ("q", No)],
    },
    Example {
        source: "García and Simari 2004: strict rules carry disagreement between intermediate conclusions",
        program: "a. b. ~h <- k. h -< a. k -< a, b.",
        answers: &[("h", No), ("k", Yes)],
    },
    Example {
        source: "Reiter and Criscuolo 1981: the Nixon diamond",
        program: "quaker(nixon). republican(nixon). pacifist(X) -< quaker(X). ~pacifist(X) -< republican(X).",
        answers: &[("pacifist(nixon)", Undecided), ("~pacifist(nixon)", Undecided), ("quaker(nixon)", Yes)],
    },
    Example {
        source: "Reiter and Criscuolo 1983: students are adults, adults work, students do not",
        program: "student(tom). adult(X) -< student(X). employed(X) -< adult(X). ~employed(X) -< student(X).",
        answers: &[("employed(tom)", No), ("adult(tom)", Yes)],
    },
    Example {
        source: "Reiter 1980 and Poole 1985: penguins are birds that do not fly",
        program: "penguin(opus). bird(tweety). bird(X) <- penguin(X). flies(X) -< bird(X). ~flies(X) -< penguin(X).
                  wings(X) -< bird(X).",
        answers: &[("flies(opus)", No), ("flies(tweety)", Yes), ("wings(opus)", Yes)],
    },
    Example {
        source: "Touretzky 1986: Clyde the royal elephant",
        program: "royal(clyde). elephant(X) <- royal(X). gray(X) -< elephant(X). ~gray(X) -< royal(X).",
        answers: &[("gray(clyde)", No), ("elephant(clyde)", Yes)],
    },
    Example {
        source: "Sandewall 1986: Clyde is an African elephant, too",
        program: "royal(clyde). african(clyde). elephant(X) <- royal(X). elephant(X) <- african(X).
                  gray(X) -< elephant(X). ~gray(X) -< royal(X).",
        answers: &[("gray(clyde)", No)],
    },
    Example {
        source: "Etherington and Reiter 1983: shells of molluscs, cephalopods and nautili",
        program: "nautilus(n). cephalopod(c). mollusc(m). mollusc(X) <- cephalopod(X). cephalopod(X) <- nautilus(X).
                  shell(X) -< mollusc(X). ~shell(X) -< cephalopod(X). shell(X) -< nautilus(X).",
        answers: &[("shell(n)", Yes), ("shell(c)", No), ("shell(m)", Yes)],
    },
    Example {
        source: "Horty and Thomason 1988: a native speaker of Pennsylvania Dutch",
        program: "dutch(hermann). german(X) <- dutch(X). ~american(X) -< german(X). american(X) -< dutch(X).",
        answers: &[("american(hermann)", Yes)],
    },
    Example {
        source: "Makinson and Schlechta 1991: a floating conclusion is not warranted",
        program: "quaker(nixon). republican(nixon). dove(X) -< quaker(X). hawk(X) -< republican(X). ~hawk(X) <- dove(X).
                  ~dove(X) <- hawk(X). political(X) -< dove(X). political(X) -< hawk(X).",
        answers: &[("political(nixon)", Undecided), ("dove(nixon)", Undecided)],
    },
    Example {
        source: "Caminada and Amgoud 2007: married John who goes out",
        program: "wearsRing. goesOut. married -< wearsRing. bachelor -< goesOut. hasWife <- married. ~hasWife <- bachelor.",
        answers: &[("hasWife", Undecided), ("married", Undecided), ("bachelor", Undecided)],
    },
    Example {
        source: "Pollock 1994: an argument that defeats itself is none",
        program: "p -< . ~p -< p.",
        answers: &[("p", Yes)],
    },
    Example {
        source: "Nute 1994 and Governatori and others 2004: two witnesses disagree, so innocence stands",
        program: "witness1. witness2. responsible -< witness1. ~responsible -< witness2. guilty -< responsible.
                  ~guilty -< .",
        answers: &[("responsible", Undecided), ("guilty", No)],
    },
    Example {
        source: "Hanks and McDermott 1987: the turkey, by specificity alone",
        program: "alive0. loaded0. shoot1. alive1 -< alive0. loaded1 -< loaded0. alive2 -< alive1.
                  ~alive2 -< loaded1, shoot1.",
        answers: &[("alive1", Yes), ("alive2", Undecided)],
    },
    Example {
        source: "Simari and Loui 1992: a direct reason beats one by way of another conclusion",
        program: "a. b -< a. c -< b. ~c -< a.",
        answers: &[("c", No), ("b", Yes)],
    },
    Example {
        source: "Poole 1985: neither of two reasons uses more than the other",
        program: "a. b. c -< a. ~c -< b.",
        answers: &[("c", Undecided)],
    },
    Example {
        source: "Prakken and Sartor 1997: defeat of an intermediate step reinstates the conclusion",
        program: "forged. seen. signed. contract -< signed. ~contract -< signed, fraud. fraud -< seen.
                  ~fraud -< seen, forged.",
        answers: &[("contract", Yes), ("fraud", No)],
    },
    Example {
        source: "Geffner and Pearl 1992: an irrelevant property changes nothing",
        program: "bird(tim). red(tim). penguin(pam). red(pam). bird(X) <- penguin(X). flies(X) -< bird(X).
                  ~flies(X) -< penguin(X).",
        answers: &[("flies(tim)", Yes), ("flies(pam)", No)],
    },
];

#[test]
fn the_examples_of_the_literature_have_their_answers() {
    assert!(EXAMPLES.len() >= 20);
    for example in EXAMPLES {
        for &(query, expected) in example.answers {
            let answer = ask(example.program, query);
            assert_eq!(answer.verdict, expected, "{}: {query}", example.source);
        }
    }
}

#[test]
fn priorities_decide_where_specificity_does_not() {
    // Hanks and McDermott 1987 with Brewka 1994: what is caused has priority over what persists.
    let turkey = "alive0. loaded0. shoot1. alive1 -< alive0. persist: loaded1 -< loaded0. stay: alive2 -< alive1.
                  kill: ~alive2 -< loaded1, shoot1. kill > stay.";
    assert_eq!(ask_by(turkey, "alive2", Criterion::Priorities).verdict, No);
    assert_eq!(ask_by(turkey, "alive2", Criterion::Specificity).verdict, Undecided);
    // García and Simari 2004: priorities may turn specificity round.
    let shares = "good. risky. r1: buy -< good. r2: ~buy -< good, risky. r1 > r2.";
    assert_eq!(ask_by(shares, "buy", Criterion::Priorities).verdict, Yes);
    assert_eq!(ask_by(shares, "buy", Criterion::Specificity).verdict, No);
    assert_eq!(ask_by(shares, "buy", Criterion::None).verdict, Undecided);
    assert_eq!(ask_by(shares, "buy", Criterion::PrioritiesThenSpecificity).verdict, Yes);
    let penguin = "p. b <- p. flies -< b. ~flies -< p. x: q -< p. y: ~q -< b. y > x.";
    assert_eq!(
        ask_by(penguin, "flies", Criterion::PrioritiesThenSpecificity).verdict,
        No
    );
    assert_eq!(ask_by(penguin, "q", Criterion::PrioritiesThenSpecificity).verdict, No);
    assert_eq!(ask_by(penguin, "flies", Criterion::Priorities).verdict, Undecided);
    // Preferences are transitive.
    let chain = "a. r1: p -< a. r2: ~s -< a. r3: ~p -< a. r3 > r2 > r1.";
    assert_eq!(ask_by(chain, "p", Criterion::Priorities).verdict, No);
}

#[test]
fn a_contradictory_strict_part_is_refused_with_both_derivations() {
    let program = common::program("chicken(tina). bird(X) <- chicken(X). ~bird(tina).");
    let found = program
        .check_strict(&ludens_budget::Budget::default())
        .expect("no limit");
    let found = found.expect("a contradiction");
    assert_eq!(found.code.id, "E604");
    assert_eq!(
        found.notes,
        [
            "`bird(tina)` follows from `chicken(tina)` (line 1), `bird(tina) <- chicken(tina)` (line 1)",
            "`~bird(tina)` follows from `~bird(tina)` (line 1)",
        ]
    );
}

#[test]
fn variables_that_no_condition_binds_stand_for_every_constant() {
    let text = "judge(eve). accused(tom). ~guilty(X) -< . guilty(X) -< accused(X).";
    assert_eq!(ask(text, "guilty(eve)").verdict, No);
    assert_eq!(ask(text, "guilty(tom)").verdict, Yes);
    let mut program = common::program(text);
    let query = program.read_query("guilty(Who)").expect("a literal").literal;
    let instances = program
        .instances_of(&query, &ludens_budget::Budget::default())
        .expect("no limit");
    let texts: Vec<String> = instances.iter().map(|found| program.literal_text(found, &[])).collect();
    assert_eq!(texts, ["guilty(eve)", "guilty(tom)"]);
}

#[test]
fn texts_that_cannot_be_read_are_explained_with_place_and_help() {
    let cases = [
        ("bird(tina)\nflies(X) -< bird(X).", "E601", 2, 1),
        ("mortal(X).", "E602", 1, 1),
        ("likes(tina, food(corn)).", "E603", 1, 13),
        ("a. r1: p -< a. r1 > r2.", "E605", 1, 21),
        ("a. r1: p -< a. r2: ~p -< a. r1 > r2 > r1.", "E606", 1, 34),
        ("r: p -< q. r: ~p -< q.", "E607", 1, 12),
        ("bird(tina). flies(X) -< bird(X, big).", "W608", 1, 13),
        ("penguin(opus). ~flies(X) -< pengiun(X).", "W609", 1, 16),
        ("a. b. a.", "W610", 1, 7),
        ("p <- .", "E601", 1, 6),
        ("~~p.", "E601", 1, 2),
        ("P(a).", "E601", 1, 1),
        ("p(a", "E601", 1, 3),
        ("p ! q.", "E601", 1, 3),
        ("p -< q; r.", "E601", 1, 7),
    ];
    for (text, code, line, column) in cases {
        let program = Program::read(Source::new("test.delp", text));
        let found = program.diagnostics.iter().find(|found| found.code.id == code);
        let found = found.unwrap_or_else(|| panic!("{text}: {:?}", program.diagnostics));
        let place = program.source.place(found.span.start);
        assert_eq!((place.line, place.column), (line, column), "{text}");
        assert!(found.help.is_some(), "{text}");
    }
}

#[test]
fn no_text_makes_the_reader_panic() {
    let pieces = [
        "p", "(", ")", "X", ",", ".", "~", "<-", "-<", "?-", ":", ">", "\"", "%", "\n", "é", "1", "-", "¬", " ",
    ];
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..20_000 {
        let text: String = (0..rng.usize(..30))
            .map(|_| pieces[rng.usize(..pieces.len())])
            .collect();
        let mut program = Program::read(Source::new("random.delp", text.clone()));
        let _ = program.read_query(&text);
        for found in &program.diagnostics {
            ludens_gdl::render::render(&program.source, found, found.code.severity(), false);
        }
    }
}
