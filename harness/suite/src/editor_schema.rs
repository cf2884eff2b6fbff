//! The JSON Schema in the form that editors need for their messages.
//!
//! The types give unions as `anyOf` and `oneOf`. Where no form of a union fits, an editor guesses the form that was
//! meant: for a typo in the name of a step it names a field of the first call. Here each union of objects becomes a list of
//! conditions, one for each key that only one form has, so that a value is judged by the form whose key it holds. Where the
//! forms have the same key and differ in its values, as errors do in `code`, there is a condition for each value.

use serde_json::{Map, Value, json};

/// The same schema with conditions instead of unions of objects, wherever a key tells the forms apart.
pub(crate) fn discriminated(schema: &Value) -> Value {
    let no_definitions = Map::new();
    let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&no_definitions);
    rewritten(schema, definitions)
}

fn rewritten(schema: &Value, definitions: &Map<String, Value>) -> Value {
    match schema {
        Value::Array(values) => values.iter().map(|value| rewritten(value, definitions)).collect(),
        Value::Object(object) => {
            let mut object = object.clone();
            if let Some(keys) = alternative_keys(&object) {
                one_key(&mut object, &keys);
            } else if let Some(forms) = forms(&object)
                && let Some(conditions) = conditions(forms, definitions)
            {
                object.remove("anyOf");
                object.remove("oneOf");
                object.extend(conditions);
            }
            object.iter().map(|(key, value)| (key.clone(), rewritten(value, definitions))).collect()
        }
        other => other.clone(),
    }
}

/// The keys of which an object has exactly one: `oneOf: [{ required: [a] }, { required: [b] }]`.
fn alternative_keys(object: &Map<String, Value>) -> Option<Vec<String>> {
    object.get("properties")?;
    let forms = object.get("oneOf")?.as_array()?;
    let key = |form: &Value| match form.as_object()?.get("required")?.as_array()?.as_slice() {
        [key] => Some(key.as_str()?.to_owned()),
        _ => None,
    };
    forms.iter().map(key).collect()
}

/// Says of an object that it has exactly one of these keys; its other keys may stand beside each of them.
fn one_key(object: &mut Map<String, Value>, keys: &[String]) {
    object.remove("oneOf");
    let properties: Vec<String> = object
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default();
    let beside: Vec<&String> = properties.iter().filter(|name| !keys.contains(name)).collect();
    let allowed = |key| -> Map<String, Value> {
        beside.iter().copied().chain([key]).map(|name| (name.clone(), json!(true))).collect()
    };
    let mut conditions: Vec<Value> = keys
        .iter()
        .map(|key| {
            json!({
                "if": { "required": [key] },
                "then": { "properties": allowed(key), "additionalProperties": false },
            })
        })
        .collect();
    let known = keys.iter().map(|key| (key.clone(), json!(true))).collect();
    conditions.push(without_a_key(keys.iter(), known));
    object.insert("allOf".to_owned(), conditions.into());
}

/// The condition for an object that has none of the keys. A property that is not known is refused by its name; only where
/// all are known is the key itself missed.
fn without_a_key<'a>(keys: impl Iterator<Item = &'a String>, known: Map<String, Value>) -> Value {
    let any: Vec<Value> = keys.map(|key| json!({ "required": [key] })).collect();
    let names: Vec<&String> = known.keys().collect();
    let is_missed = json!({
        "if": { "propertyNames": { "enum": names }, "minProperties": 1 },
        "then": { "anyOf": any },
    });
    let mut refused = json!({
        "properties": known, "additionalProperties": false, "minProperties": 1,
    });
    if let Value::Object(refused) = &mut refused
        && names.len() > any.len()
    {
        refused.insert("allOf".to_owned(), json!([is_missed]));
    }
    json!({ "if": { "not": { "anyOf": any } }, "then": refused })
}

/// The forms of a union that has no properties of its own.
fn forms(object: &Map<String, Value>) -> Option<&Vec<Value>> {
    if object.contains_key("properties") {
        return None;
    }
    ["anyOf", "oneOf"].iter().find_map(|key| object.get(*key)?.as_array())
}

/// The keywords that stand for a union; `None` where nothing tells its forms apart.
fn conditions(forms: &[Value], definitions: &Map<String, Value>) -> Option<Map<String, Value>> {
    let by_key = Union::of(forms, definitions).map(|union| union.conditions());
    by_key.or_else(|| Some(UnionByValue::of(forms, definitions)?.conditions()))
}

/// A form of a union: an object that a key tells from the other forms.
struct KeyedForm {
    key: String,
    schema: Value,
    properties: Map<String, Value>,
    /// Keys of which the form has exactly one tell it apart, and its other properties stand beside them alone.
    is_of_alternatives: bool,
}

/// A union whose objects are told apart by a key.
struct Union {
    objects: Vec<KeyedForm>,
    others: Vec<Value>,
}

impl Union {
    /// `None` where objects cannot be told apart by a key that only one of them has, or where no form is a closed object.
    fn of(forms: &[Value], definitions: &Map<String, Value>) -> Option<Self> {
        let (mut objects, mut others) = (Vec::new(), Vec::new());
        for (written, object) in
            flattened(forms, definitions, &|inner| Self::of(inner, definitions).is_some())?
        {
            match object.get("properties").and_then(Value::as_object) {
                Some(properties) if object.get("additionalProperties") == Some(&json!(false)) => {
                    objects.push((written, object, properties));
                }
                None if is_no_object(object) => others.push(written.clone()),
                _ => return None,
            }
        }
        if objects.is_empty() || objects.len() + others.len() < 2 {
            return None;
        }
        let mut keyed = Vec::new();
        for (place, &(written, object, properties)) in objects.iter().enumerate() {
            let alternatives = alternative_keys(object);
            let is_of_alternatives = alternatives.is_some();
            let is_elsewhere = |key: &String| {
                objects
                    .iter()
                    .enumerate()
                    .any(|(other, (.., properties))| other != place && properties.contains_key(key))
            };
            let keys = match alternatives {
                Some(keys) if keys.iter().any(is_elsewhere) => return None,
                Some(keys) => keys,
                None => vec![required(object).into_iter().find(|key| !is_elsewhere(key))?],
            };
            keyed.extend(keys.into_iter().map(|key| KeyedForm {
                key,
                schema: written.clone(),
                properties: properties.clone(),
                is_of_alternatives,
            }));
        }
        Some(Self { objects: keyed, others })
    }

    /// The keywords that stand for the union.
    fn conditions(&self) -> Map<String, Value> {
        let mut conditions: Vec<Value> = self
            .objects
            .iter()
            .map(|form| json!({ "if": { "required": [form.key] }, "then": form.schema }))
            .collect();
        let keys = self.objects.iter().map(|form| &form.key);
        conditions.push(without_a_key(keys, self.known()));
        let mut keywords = Map::new();
        match self.others.as_slice() {
            [] => {
                keywords.insert("type".to_owned(), json!("object"));
                keywords.insert("allOf".to_owned(), conditions.into());
                return keywords;
            }
            [only] => keywords.insert("else".to_owned(), only.clone()),
            several => keywords.insert("else".to_owned(), json!({ "anyOf": several })),
        };
        keywords.insert("if".to_owned(), json!({ "type": "object" }));
        keywords.insert("then".to_owned(), json!({ "allOf": conditions }));
        keywords
    }

    /// The properties that an object without a key may have: beside a misspelt key, the other properties of its form are no
    /// mistakes. A key keeps its description, which editors show where they complete it.
    fn known(&self) -> Map<String, Value> {
        let mut known = Map::new();
        for form in self.objects.iter().filter(|form| !form.is_of_alternatives) {
            known.extend(form.properties.keys().map(|name| (name.clone(), json!(true))));
        }
        for form in &self.objects {
            let schema = form.properties.get(&form.key).and_then(Value::as_object);
            let kept = match schema {
                Some(schema) if schema.contains_key("$ref") => json!(schema),
                Some(schema) => match schema.get("description") {
                    Some(description) => json!({ "description": description }),
                    None => json!(true),
                },
                None => json!(true),
            };
            known.insert(form.key.clone(), kept);
        }
        known
    }
}

/// A union whose objects all have one key, and are told apart by its value.
struct UnionByValue {
    key: String,
    /// Each form with the values that its key may have.
    forms: Vec<(Vec<Value>, Value)>,
}

impl UnionByValue {
    /// `None` where a form is no closed object with the key, or where two forms allow the same value of it.
    fn of(forms: &[Value], definitions: &Map<String, Value>) -> Option<Self> {
        let forms = flattened(forms, definitions, &|inner| Self::of(inner, definitions).is_some())?;
        let (_, first) = forms.first().filter(|_| forms.len() > 1)?;
        required(first).into_iter().find_map(|key| {
            let mut told = Vec::new();
            for (written, object) in &forms {
                let is_closed = object.get("additionalProperties") == Some(&json!(false));
                let values = values(object.get("properties")?.get(&key)?)?;
                if !is_closed || !required(object).contains(&key) {
                    return None;
                }
                told.push((values, (*written).clone()));
            }
            let mut all: Vec<String> =
                told.iter().flat_map(|(it, _)| it).map(Value::to_string).collect();
            let number = all.len();
            all.sort();
            all.dedup();
            (all.len() == number).then_some(Self { key, forms: told })
        })
    }

    /// The keywords that stand for the union. A value that no form has is told with those that there are.
    fn conditions(&self) -> Map<String, Value> {
        let Self { key, forms } = self;
        let has = |values: &[Value]| json!({ "properties": { key: { "enum": values } } });
        let all: Vec<Value> = forms.iter().flat_map(|(values, _)| values).cloned().collect();
        let conditions: Vec<Value> = forms
            .iter()
            .map(|(values, form)| {
                let mut condition = has(values);
                if let Value::Object(condition) = &mut condition {
                    condition.insert("required".to_owned(), json!([key]));
                }
                json!({ "if": condition, "then": form })
            })
            .collect();
        Map::from_iter([
            ("type".to_owned(), json!("object")),
            ("properties".to_owned(), json!({ key: { "enum": all } })),
            ("required".to_owned(), json!([key])),
            ("allOf".to_owned(), conditions.into()),
        ])
    }
}

/// The values that a schema allows, if it lists them.
fn values(schema: &Value) -> Option<Vec<Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(only), None) => Some(vec![only.clone()]),
        (None, Some(several)) => several.as_array().cloned(),
        _ => None,
    }
}

/// Each form as it is written and as what it refers to, with the forms of unions within that are `told` apart; `None` if
/// one refers to nothing.
fn flattened<'a>(
    forms: &'a [Value],
    definitions: &'a Map<String, Value>,
    told: &dyn Fn(&[Value]) -> bool,
) -> Option<Vec<(&'a Value, &'a Map<String, Value>)>> {
    let mut flat = Vec::new();
    for written in forms {
        let object = resolved(written, definitions)?;
        match self::forms(object) {
            Some(inner) if told(inner) => {
                flat.extend(flattened(inner, definitions, told)?);
            }
            _ => flat.push((written, object)),
        }
    }
    Some(flat)
}

/// What a schema refers to, or itself.
fn resolved<'a>(
    schema: &'a Value,
    definitions: &'a Map<String, Value>,
) -> Option<&'a Map<String, Value>> {
    let object = schema.as_object()?;
    match object.get("$ref").and_then(Value::as_str) {
        Some(target) => definitions.get(target.strip_prefix("#/$defs/")?)?.as_object(),
        None => Some(object),
    }
}

/// Whether a schema accepts no object.
fn is_no_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(only)) => only != "object",
        Some(Value::Array(types)) => !types.contains(&json!("object")),
        _ => false,
    }
}

fn required(object: &Map<String, Value>) -> Vec<String> {
    let names = object.get("required").and_then(Value::as_array).into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(kind: &str) -> Value {
        json!({
            "type": "object", "properties": { "kind": { "const": kind } }, "required": ["kind"],
            "additionalProperties": false,
        })
    }

    #[test]
    fn forms_that_differ_in_the_value_of_a_key_are_told_apart_by_it() {
        let told = discriminated(&json!({ "oneOf": [form("a"), form("b")] }));
        assert_eq!(told.pointer("/properties/kind/enum"), Some(&json!(["a", "b"])));
        assert_eq!(told.pointer("/allOf/1/if/properties/kind/enum"), Some(&json!(["b"])));
        assert_eq!(told.pointer("/allOf/1/then"), Some(&form("b")));
        assert_eq!(told.get("oneOf"), None);
        // A union within is one of the same values.
        let of_two = json!({ "$defs": { "two": { "oneOf": [form("b"), form("c")] } },
            "anyOf": [form("a"), { "$ref": "#/$defs/two" }] });
        let told = discriminated(&of_two);
        assert_eq!(told.pointer("/properties/kind/enum"), Some(&json!(["a", "b", "c"])));
    }

    #[test]
    fn forms_that_nothing_tells_apart_stay_a_union() {
        let schema = json!({ "oneOf": [form("a"), form("a")] });
        assert_eq!(discriminated(&schema), schema);
        let open = json!({ "anyOf": [{ "type": "object", "properties": { "a": {} }, "required": ["a"] }, form("b")] });
        assert_eq!(discriminated(&open), open);
    }
}
