//! The JSON Schema of suites and their reference, both made from the types that parse them.

use std::fmt::Write as _;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::built_in::BUILT_IN;
use super::editor_schema::discriminated;
use super::expression::Operator;
use super::language::{FragmentFile, Suite};

/// Where the schema is committed, relative to the root.
pub const SCHEMA_PATH: &str = "suites/schema.json";
/// Where the schema of files of fragments is committed, relative to the root.
pub const FRAGMENTS_SCHEMA_PATH: &str = "suites/fragments.schema.json";
/// Where the reference is committed, relative to the root.
pub const REFERENCE_PATH: &str = "suites/README.md";

/// The JSON Schema of suites, as it is committed.
pub fn json_schema() -> String {
    pretty(&discriminated(&schema()))
}

/// The JSON Schema of files of fragments, as it is committed.
pub fn fragments_json_schema() -> String {
    pretty(&discriminated(&fragments_schema()))
}

/// A JSON Schema as it is committed.
pub fn pretty(schema: &Value) -> String {
    let mut text = serde_json::to_string_pretty(schema).unwrap_or_default();
    text.push('\n');
    text
}

fn schema() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Suite>().into()
}

fn fragments_schema() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<FragmentFile>().into()
}

const INTRODUCTION: &str = "\
# The suite language

[TUTORIAL.md](TUTORIAL.md) leads to a first suite, [KERNEL_API.md](KERNEL_API.md) lists what kernels may call, and
[FAILURES.md](FAILURES.md) explains reports. This page is the reference. It is generated from the types that parse suites
(`hallmark schema --markdown`). The JSON Schema beside it, `schema.json`, lets editors complete and check suites. The first
line of a suite names it:

```yaml
# yaml-language-server: $schema=../schema.json
```

A suite is a file `suites/<group>/<name>.yaml`. Each of its cases gives one test, or one for each combination of its matrix.
A test is named `<architecture>::<group>::<name>::<case>::<parameter>=<value>…`.

## Fragments

Steps that several suites need go into a file `suites/fragments/<name>.yaml`. Its schema is `fragments.schema.json`. A suite
imports the file, and its cases use the fragments in it:

```yaml
import: [fragments/copy.yaml]
cases:
  both_ways:
    steps:
      - use: { fragment: copy, as: there, with: { pages: 4, source: src, processor: riscv_0 } }
```

A fragment knows the built-in numbers and what the case gives it, and nothing else of the case. Its `numbers` are for
expressions, its `names` for objects, kernels and settings. With `as: there`, later steps and expectations know the
fragment's `out` as `there_out`. A fragment cannot use another fragment. The steps of a test are therefore in its suite and
in the files that the suite imports.

## Queues, events and traces

A case may ask for two command queues and a trace region: `device: { num_command_queues: 2, trace_region_size: 4096 }`. A
capture holds queues, events and traces as calls, so program bytes and goldens are the same whether the host or the device
dispatches. Two commands of different queues that touch the same memory race unless something orders them; see
[FAILURES.md](FAILURES.md).

`suites/queues` holds TT-Metalium's tests of events, traces and several queues under their names there, the patterns in which
models use them, and a refused call for each of TT-Metalium's error texts. `hallmark extract CAPTURE NAME -o FILE` takes a
trace's bytes out of a capture.

## Global semaphores

`create_global_semaphore` makes a word in L1 at the same address of several cores, and sets it. No launch sets it back, as
launches do with the words of `create_semaphore`; `reset_global_semaphore` does, as a blocking write of queue 0. Kernels are
passed its address:

```yaml
steps:
  - create_global_semaphore: { id: ready, cores: [[0, 0], [3, 1]], initial_value: 0 }
  - set_runtime_args: { kernel: sender, args: [{ global_semaphore: ready }, { noc_x: [3, 1] }, { noc_y: [3, 1] }] }
  - enqueue_program: { program: program }
  - reset_global_semaphore: { semaphore: ready, value: 0 }
```

Captures and goldens hold what TT-Metalium makes of them: a sharded buffer with one page of 4 bytes on each core, and writes.
Steps of buffers take it, too: `enqueue_read_buffer` shows its words, and `deallocate_buffer` frees it. Creation and reset
write, so that a queue 0 that captures a trace refuses them (`WriteDuringTrace`).

## Tensors

`create_tensor` makes a tensor on the host, `allocate_tensor` one without content, on the host or on the device. `to_layout`
brings the content of one tensor into another, whatever their types, layouts and memories are:

```yaml
steps:
  - create_tensor: { id: a, shape: [64, 96], dtype: float32, data: { normal: float32, seed: 7 } }
  - allocate_tensor: { id: tiles, shape: [64, 96], dtype: bfp8_b, layout: tile, memory: dram }
  - allocate_tensor: { id: back, shape: [64, 96], dtype: float32, memory: host }
  - to_layout: { dst: tiles, src: a, event: written }
  - to_layout: { dst: back, src: tiles, queue: 1, dependencies: [written], event: read }
  - event_synchronize: { event: read }
expect:
  - equal: [back, tiles]
```

Each of these steps becomes ordinary calls: a buffer is created, written and read, and events are waited for and recorded.
Captures and goldens hold those calls. A tensor on the device is a buffer of the same name, which every other step may use.
A tensor on the host that is brought content from the device is an output. An expectation states its elements row by row,
without padding, and so does the name of a tensor. The elements are compared as the device has them, so that an expectation
of `back` above is rounded to `bfp8_b`. Elements that only fill up tiles must be 0, except in an output of a binary: there
they must have the value that `padding` of `submit` states.

A binary is programs whose inputs and outputs are tensors that are named later. `binaries` of a suite describe them, `submit`
runs them with tensors, and `allocate_input_tensor` and `allocate_output_tensor` make tensors as they need them. The outputs
of one binary are inputs of the next where their layouts match, and go through `to_layout` where they do not. The host
converts only what is known before the run: `gives` says what the outputs of a binary hold.

Tensors that do not fit are refused before any call is made. A case expects the refusal with `expect_error: { code: … }`.

## The end of a case

After the last step everything runs that was enqueued and that no step has waited for. A fault, a deadlock, a hang, or a race
of two queues is then the test's verdict, blamed on the step that enqueued the work. A case that expects it says so:

```yaml
steps:
  - enqueue_program: { program: waits_for_ever }
expect_at_end:
  expect_error: { code: Deadlock, enqueue: waits_for_ever }
```

The end is no step: a read that completes only then has returned nothing, a trace that is still being captured does not run,
and nothing runs after a step that stops the device. A capture holds the outcome of its end, and its replay repeats it. A
replay of a capture without such an outcome runs no more than its calls wait for: a capture whose recording was killed, or
that was cut. `hallmark bisect` and `hallmark reduce` add a call that waits in the place of the end.

## Excused checks

A check is named by the category of its faults. A suite or a case may excuse one that is right about a program which is
nevertheless as it should be, with the reason:

```yaml
excuse: { RequestsUnderWay: the next program waits for the last write of this one }
```

A test that ends in an excused fault counts as an expected failure, and its report shows the reason. `hallmark run` without
a selection reports an excuse that excuses nothing in any test. A certification needs a waiver for each such test.

## Numbers and expressions

An expression may replace any number. It consists of numbers (decimal or `0x…`), names of parameters and variables,
parentheses, and the infix operators below. Operators further down bind tighter. Arithmetic is checked: an overflow or a
division by zero is a mistake in the suite. An expression has no commas and no brackets, so it needs no quotes inside `{…}`
and `[…]`.

| operators | meaning |
|---|---|
";

const FUNCTIONS: &str = "
Where floating-point values are described, functions with one operand in parentheses stand beside numbers and names:

| functions | meaning |
|---|---|
| `abs` `sign` | the value without its sign; -1, 0 or 1 |
| `floor` `ceil` `trunc` `round` | the whole number below, above, and towards 0; the nearest one, ties to even |
| `recip` `sqrt` `cbrt` | 1 / x, an infinity for 0; roots |
| `exp` `exp2` `expm1` `log` `log2` `log10` `log1p` `lgamma` | powers of e and 2; exp(x) - 1; logarithms to base e, 2 and 10; log(1 + x); the logarithm of the gamma function's absolute value |
| `sin` `cos` `tan` `asin` `acos` `atan` `sinh` `cosh` `tanh` `asinh` `acosh` `atanh` | of angles in radians |
| `erf` `erfc` | the error function; 1 less the error function |
| `bfloat16` `float16` `float32` | the nearest number of this type, ties to even |
| `transpose` | in `matrix` only: rows become columns |
| `row_sum` `row_max` `row_min` `row_first` | in `matrix` only: a column with one number for each row |
| `column_sum` `column_max` `column_min` `column_first` | in `matrix` only: a row with one number for each column |
";

const NAMES: &str = "
In `per_core` there are also `core_x`, `core_y` and `core_index`; in `repeat` there is `round`; in `map` there are `index`
and the names in `of`. A variable may have a value for each architecture,
`{ grayskull: 1, wormhole_b0: 18, blackhole: 1 }`, for facts of a chip that no built-in name states.

Where a name, a truth value or a text of `defines` is expected, `=parameter` inserts a parameter's value. There is no other
substitution.

## Names of data

`enqueue_write_buffer` gives its data two names: the buffer's name, until the next write to the buffer, and the step's `as`,
if the step has one. `enqueue_read_buffer` names an output. Expectations are computed on the host before the run, from data
alone and never from what a device returned. A name in an expectation means the data that it meant when the output was read.

`values` of a case names what its expectations are computed from. A value may name data, parameters and the values above it:

```yaml
values:
  halves: { map: uint16, of: [src], value: src / 2 }
  largest: { reduce: halves, type: uint16, group: 16, with: max }
expect:
  - equal: [halved, halves]
  - equal: [maxima, largest]
```

An expectation that names a value means the same as one with the value written out. Each output computes a value at most once.
";

/// The reference in Markdown, as it is committed.
pub fn markdown() -> String {
    let mut text = INTRODUCTION.to_owned();
    for (operators, meaning) in operator_table() {
        let _ = writeln!(text, "| {operators} | {meaning} |");
    }
    text.push_str(FUNCTIONS);
    text.push_str("\nBuilt-in names:\n\n| name | meaning |\n|---|---|\n");
    for built_in in BUILT_IN {
        let _ = writeln!(text, "| `{}` | {} |", built_in.name, built_in.about);
    }
    text.push_str(NAMES);
    let schema = schema();
    let definitions = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    section(&mut text, "A suite", &schema);
    for name in ordered(&schema, &definitions) {
        if let Some(definition) = definitions.get(&name) {
            section(&mut text, &name, definition);
        }
    }
    let fragments = fragments_schema();
    section(&mut text, "A file of fragments", &fragments);
    if let Some(definition) = fragments.pointer("/$defs/Fragment") {
        section(&mut text, "Fragment", definition);
    }
    text
}

fn operator_table() -> Vec<(String, &'static str)> {
    let names = |operators: &[Operator]| {
        let names: Vec<String> =
            operators.iter().map(|operator| format!("`{}`", operator.text())).collect();
        names.join(" ")
    };
    vec![
        (
            names(&Operator::ALL[12..14]),
            "1 if both are equal, else 0; 1 if the left one is smaller, else 0",
        ),
        (
            names(&Operator::ALL[5..12]),
            "the smaller, the larger; and, or, exclusive or of the bits; shifts left and right by 0 to 63",
        ),
        (names(&Operator::ALL[..2]), "sum, difference"),
        (
            format!("{} {}", names(&Operator::ALL[2..5]), names(&Operator::ALL[14..15])),
            "product, quotient rounded towards zero, remainder; the product of two matrices, in `matrix` only",
        ),
        (
            names(&Operator::ALL[15..]),
            "the left one to the power of the right one; the left one with its significand cut to the number of bits that the right one states, the leading 1 included; both for floating-point values only",
        ),
    ]
}

/// Definitions in the order in which a reader meets them.
fn ordered(schema: &Value, definitions: &Map<String, Value>) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    let mut queue: Vec<&Value> = vec![schema];
    let mut next = 0;
    while let Some(value) = queue.get(next).copied() {
        next += 1;
        let mut found = Vec::new();
        references(value, &mut found);
        for name in found {
            if !order.contains(&name)
                && let Some(definition) = definitions.get(&name)
            {
                order.push(name);
                queue.push(definition);
            }
        }
    }
    order
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("$defs", _) => {}
                    ("$ref", Value::String(target)) => {
                        found.extend(target.strip_prefix("#/$defs/").map(str::to_owned));
                    }
                    _ => references(value, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

fn description(value: &Value) -> String {
    let text = value.get("description").and_then(Value::as_str).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn section(text: &mut String, name: &str, definition: &Value) {
    let _ = write!(text, "\n## {name}\n\n{}\n", description(definition));
    if let Some(properties) = definition.get("properties").and_then(Value::as_object) {
        let required: Vec<&str> = definition
            .get("required")
            .and_then(Value::as_array)
            .map(|names| names.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        text.push_str("\n| key | | value | |\n|---|---|---|---|\n");
        for (key, value) in properties {
            let needed = if required.contains(&key.as_str()) { "required" } else { "" };
            let _ =
                writeln!(text, "| `{key}` | {needed} | {} | {} |", form(value), description(value));
        }
        return;
    }
    let forms = ["anyOf", "oneOf"].iter().find_map(|key| definition.get(*key)?.as_array());
    if let Some(forms) = forms {
        text.push('\n');
        for value in forms {
            let about = description(value);
            let code = value.pointer("/properties/code/const").and_then(Value::as_str);
            if let Some(code) = code {
                let fields: Vec<String> = value
                    .get("required")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .filter(|name| *name != "code")
                    .map(|name| format!("`{name}`"))
                    .collect();
                let fields =
                    if fields.is_empty() { "no fields".to_owned() } else { fields.join(", ") };
                let _ = writeln!(text, "- `{code}`: {fields}");
            } else {
                let colon = if about.is_empty() { "" } else { ": " };
                let _ = writeln!(text, "- {}{colon}{about}", form(value));
            }
        }
    }
}

/// What may stand for a value, in few words.
fn form(value: &Value) -> String {
    if let Some(title) = value.get("title").and_then(Value::as_str) {
        return title.to_owned();
    }
    if let Some(target) = value.get("$ref").and_then(Value::as_str) {
        let name = target.rsplit('/').next().unwrap_or(target);
        return format!("[{name}](#{})", name.to_lowercase());
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(forms) = value.get(key).and_then(Value::as_array) {
            let forms: Vec<String> = forms
                .iter()
                .filter(|value| value.get("type").and_then(Value::as_str) != Some("null"))
                .map(form)
                .collect();
            return forms.join(" or ");
        }
    }
    if let Some(names) = value.get("enum").and_then(Value::as_array) {
        let names: Vec<String> =
            names.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
        return names.join(", ");
    }
    if let Some(only) = value.get("const").and_then(Value::as_str) {
        return format!("`{only}`");
    }
    let types: Vec<&str> = match value.get("type") {
        Some(Value::String(only)) => vec![only],
        Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if types.contains(&"array") {
        if let Some(items) = value.get("items").filter(|items| items.is_object()) {
            return format!("a list of {}", form(items));
        }
        if value.get("prefixItems").is_some() {
            return "a pair".to_owned();
        }
        return "a list".to_owned();
    }
    if types.contains(&"object") {
        if let Some(key) =
            value.get("properties").and_then(Value::as_object).and_then(|p| p.keys().next())
        {
            return format!("`{{ {key}: … }}`");
        }
        return match value.get("additionalProperties").filter(|inner| inner.is_object()) {
            Some(inner) => format!("a map from names to {}", form(inner)),
            None => "a map".to_owned(),
        };
    }
    match types.first() {
        Some(&"string") if types.contains(&"integer") => "a number or a name".to_owned(),
        Some(&"string") => "a text".to_owned(),
        Some(&"integer") => "a number".to_owned(),
        Some(&"boolean") => "`true` or `false`".to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn published() -> Value {
        serde_json::from_str(&json_schema()).unwrap()
    }

    /// The properties that the published schema's condition for an object without a key knows.
    fn known_without_a_key(schema: &Value) -> Vec<String> {
        let conditions = schema.pointer("/then/allOf").or_else(|| schema.get("allOf")).unwrap();
        let last = conditions.as_array().unwrap().last().unwrap();
        assert!(last.pointer("/if/not/anyOf").is_some(), "{last}");
        assert_eq!(last.pointer("/then/additionalProperties"), Some(&json!(false)), "{last}");
        last.pointer("/then/properties").unwrap().as_object().unwrap().keys().cloned().collect()
    }

    /// An unknown step is refused by its own name, because no condition leads to a form of another step.
    #[test]
    fn the_tables_have_every_operator_and_function() {
        for (name, _) in crate::expression::Function::ALL {
            assert!(FUNCTIONS.contains(&format!("`{name}`")), "{name}");
        }
        let operators: Vec<String> = operator_table().into_iter().map(|(names, _)| names).collect();
        for operator in Operator::ALL {
            let name = format!("`{}`", operator.text());
            assert_eq!(operators.join(" ").matches(&name).count(), 1, "{name}");
        }
    }

    #[test]
    fn a_step_is_judged_by_its_key() {
        let schema = published();
        let steps = schema.pointer("/$defs/Case/properties/steps/items").unwrap();
        let known = known_without_a_key(steps);
        for name in ["create_buffer", "enqueue_program", "repeat", "use", "submit"] {
            assert!(known.iter().any(|key| key == name), "{name}");
            let condition = json!({ "required": [name] });
            let conditions = steps.get("allOf").unwrap().as_array().unwrap();
            assert!(conditions.iter().any(|it| it.get("if") == Some(&condition)), "{name}");
        }
        // A step is no step without its call.
        assert!(!known.contains(&"expect_error".to_owned()));
    }

    /// Beside a misspelt key, the other properties of its form are known.
    #[test]
    fn a_misspelt_key_is_the_only_mistake() {
        let schema = published();
        let known = known_without_a_key(schema.pointer("/$defs/DataSource").unwrap());
        for name in ["uniform", "seed", "min", "length"] {
            assert!(known.iter().any(|key| key == name), "{name}");
        }
    }

    #[test]
    fn what_is_no_object_is_judged_by_its_type() {
        let argument = published();
        let argument = argument.pointer("/$defs/Argument").unwrap();
        assert_eq!(argument.pointer("/if"), Some(&json!({ "type": "object" })));
        assert_eq!(argument.pointer("/else/type"), Some(&json!(["number", "string"])));
    }
}
