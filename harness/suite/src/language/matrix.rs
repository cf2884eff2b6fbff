//! Expectations computed of whole matrices, as compute kernels compute them.

use hallmark_schema::model;
use hallmark_tensor::DataType;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::expectation::ExpectedValue;
use super::tensor::TensorLayout;
use super::value::ShapeNumbers;
use crate::expression::Expression;
use crate::mistake::Mistakes;
use crate::node::{Node, Value};
use crate::read::{Named, Number, Read, Setting, choices, map_type};

/// The type of a matrix's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixType {
    /// Elements that stand alone.
    Scalar(model::DataType),
    /// Blocks of 16 elements with a common exponent.
    Block(DataType),
}

choices! {
    MatrixType, "element type":
        "float32" => Self::Scalar(model::DataType::Float32),
        "bfloat16" => Self::Scalar(model::DataType::Bfloat16),
        "float16" => Self::Scalar(model::DataType::Float16),
        "int32" => Self::Scalar(model::DataType::Int32),
        "int16" => Self::Scalar(model::DataType::Int16),
        "int8" => Self::Scalar(model::DataType::Int8),
        "uint32" => Self::Scalar(model::DataType::Uint32),
        "uint16" => Self::Scalar(model::DataType::Uint16),
        "uint8" => Self::Scalar(model::DataType::Uint8),
        "bfp8_b" => Self::Block(DataType::Bfp8B),
        "bfp4_b" => Self::Block(DataType::Bfp4B);
}

map_type! {
    /// A matrix that is computed of others: `{ matrix: a @ b, of: { a: [64, 32], b: [32, 96] }, dtype: bfloat16 }`.
    /// Everything is computed in double precision, sums in the order of their numbers, and the elements of the result
    /// are rounded once, to nearest, ties to even, those of blocks to float32 first; integers saturate. Operands with several matrices, one behind the
    /// other, give as many results; an operand with one matrix is the same for each.
    MatrixValue, "`matrix`" {
        /// An expression of the operands and of parameters. `@` is the product of matrices; all other operators and the
        /// functions of numbers work element by element, and an operand with one row or one column is repeated.
        matrix: Number,
        /// The operands by their names in `matrix`.
        of: Named<MatrixOperand>,
        /// The type of the result's elements, and of the operands' unless these have their own.
        dtype: Setting<MatrixType>,
        /// The order of the elements of the result and of all operands without their own. Default `tile`.
        layout: Option<Setting<TensorLayout>>,
        /// Rows and columns of a tile of these. Default `[32, 32]`.
        tile: Option<ShapeNumbers>,
    }
}

map_type! {
    /// An operand of a matrix expression.
    MatrixOperandForm, "an operand" {
        /// The data, or a value computed as in any expectation. Default: the data that has the operand's name.
        data: Option<ExpectedValue>,
        /// Rows and columns; the numbers before them count matrices.
        shape: Vec<Number>,
        /// The type of the elements. Default: that of the result.
        dtype: Option<Setting<MatrixType>>,
        /// The order of the elements. Default: that of the result.
        layout: Option<Setting<TensorLayout>>,
        /// Rows and columns of a tile. Default: those of the result.
        tile: Option<ShapeNumbers>,
    }
}

/// An operand: a mapping, or its shape alone.
#[derive(Clone, Debug)]
pub struct MatrixOperand(pub MatrixOperandForm);

impl Read for MatrixOperand {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        if !matches!(node.value, Value::List(_)) {
            return MatrixOperandForm::read(node, mistakes).map(Self);
        }
        let shape = Vec::read(node, mistakes)?;
        Some(Self(MatrixOperandForm { data: None, shape, dtype: None, layout: None, tile: None }))
    }
}

impl JsonSchema for MatrixOperand {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MatrixOperand".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let shape = generator.subschema_for::<Vec<Number>>();
        let form = generator.subschema_for::<MatrixOperandForm>();
        json_schema!({
            "description": "An operand: `[rows, columns]` of the data with its name, or a mapping.",
            "anyOf": [shape, form],
        })
    }
}

impl MatrixValue {
    /// The expression that gives the result.
    pub const fn formula(&self) -> &Expression {
        &self.matrix.0
    }
}
