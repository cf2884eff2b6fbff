//! Values of whole matrices, computed on the host in double precision.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hallmark_schema::model::{self, Real};
use hallmark_tensor::{DataType, HostTensor, Layout, Shape, TensorSpec, TileShape};

use super::Depth;
use super::data::{BoundData, limited};
use super::evaluator::Evaluator;
use crate::expression::{
    Algebra, EvaluationReason, Fold, Function, MatrixFunction, Names, NoResult, Operator,
};
use crate::language::{MatrixType, MatrixValue, ShapeNumbers, TensorLayout};
use crate::mistake::Span;
use crate::read::{Number, Setting};

/// More additions, multiplications and calls of functions than this in one value are refused.
const WORK_LIMIT: u64 = 1 << 31;
/// More elements of all operands, or of all results on the way to one matrix, are refused.
const ELEMENT_LIMIT: u64 = 1 << 26;
/// Additions that a function of a number, or a power, counts as.
const FUNCTION_WORK: usize = 32;

/// Where the elements of one or several matrices stand in bytes.
#[derive(Clone, Debug)]
pub(super) struct MatrixForm {
    element: MatrixType,
    spec: TensorSpec,
}

/// What operands have that do not say it themselves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defaults {
    element: MatrixType,
    layout: Layout,
}

impl Defaults {
    /// Those that a value states.
    pub(super) fn read(evaluator: &mut Evaluator<'_>, value: &MatrixValue) -> Option<Self> {
        let element = evaluator.setting(&value.dtype);
        let own = (value.layout.as_ref(), value.tile.as_ref());
        let layout = layout(evaluator, own, Layout::Tile(TileShape::FULL));
        Some(Self { element: element?, layout: layout? })
    }
}

/// The layout that is stated, or another one.
fn layout(
    evaluator: &mut Evaluator<'_>,
    (order, tile): (Option<&Setting<TensorLayout>>, Option<&ShapeNumbers>),
    default: Layout,
) -> Option<Layout> {
    let order = match order {
        Some(order) => evaluator.setting(order)?,
        None => match (tile, default) {
            (None, default) => return Some(default),
            (Some(_), _) => TensorLayout::Tile,
        },
    };
    match (order, tile, default) {
        (TensorLayout::RowMajor, None, _) => Some(Layout::RowMajor),
        (TensorLayout::RowMajor, Some(tile), _) => evaluator.mistakes().add(
            "a matrix in rows has no tiles",
            tile.height.0.span(),
            "leave `tile` out, or write `layout: tile`",
        ),
        (TensorLayout::Tile, None, Layout::Tile(shape)) => Some(Layout::Tile(shape)),
        (TensorLayout::Tile, None, Layout::RowMajor) => Some(Layout::Tile(TileShape::FULL)),
        (TensorLayout::Tile, Some(tile), _) => {
            let shape = evaluator.shape(tile)?;
            match TileShape::new(shape.height, shape.width) {
                Ok(shape) => Some(Layout::Tile(shape)),
                Err(error) => {
                    evaluator.mistakes().add(error.to_string(), tile.height.0.span(), "[32, 32]")
                }
            }
        }
    }
}

impl MatrixForm {
    /// The form of an operand with these dimensions.
    pub(super) fn of_operand(
        evaluator: &mut Evaluator<'_>,
        shape: &[Number],
        own: (Option<&Setting<MatrixType>>, Option<&Setting<TensorLayout>>, Option<&ShapeNumbers>),
        defaults: Defaults,
        span: Span,
    ) -> Option<Self> {
        let dimensions = evaluator.dimensions(shape);
        if dimensions.as_ref().is_some_and(|dimensions| dimensions.contains(&0)) {
            return evaluator.mistakes().add("a matrix has a row and a column at least", span, "");
        }
        let element = evaluator.setting_or(own.0, defaults.element);
        let layout = layout(evaluator, (own.1, own.2), defaults.layout);
        Self::new(evaluator, &dimensions?, element?, layout?, span)
    }

    fn new(
        evaluator: &mut Evaluator<'_>,
        dimensions: &[u32],
        element: MatrixType,
        layout: Layout,
        span: Span,
    ) -> Option<Self> {
        let spec =
            Shape::new(dimensions).and_then(|shape| TensorSpec::new(shape, held(element), layout));
        match spec {
            Ok(spec) => Some(Self { element, spec }),
            Err(error) => evaluator.mistakes().add(error.to_string(), span, ""),
        }
    }

    /// Bytes of all matrices.
    pub(super) fn length(&self) -> u64 {
        u64::try_from(self.spec.bytes()).unwrap_or(u64::MAX)
    }

    /// Rows and columns of each matrix.
    fn shape(&self) -> Sides {
        Sides {
            rows: usize::try_from(self.spec.shape().height()).unwrap_or(usize::MAX),
            columns: usize::try_from(self.spec.shape().width()).unwrap_or(usize::MAX),
        }
    }

    fn matrices(&self) -> u64 {
        self.spec.shape().matrices()
    }

    /// The types of elements that stand in rows: as numbers, and as a tensor holds them. Blocks are of float32 there.
    const fn in_rows(&self) -> (model::DataType, DataType) {
        match self.element {
            MatrixType::Scalar(data_type) => (data_type, held(self.element)),
            MatrixType::Block(_) => (model::DataType::Float32, DataType::Float32),
        }
    }

    /// The elements of all matrices, row by row.
    fn numbers(&self, bytes: &[u8]) -> Result<Vec<f64>, hallmark_tensor::Error> {
        let (scalar, in_rows) = self.in_rows();
        let tensor = HostTensor::from_bytes(self.spec.clone(), Cow::Borrowed(bytes))?;
        let tensor = tensor.to_data_type(in_rows)?;
        let rows = tensor.to_layout(Layout::RowMajor, 0.0)?;
        Ok(scalar.elements(rows.bytes()).map(|bits| scalar.number(bits)).collect())
    }

    /// The bytes of matrices with these elements, row by row.
    fn bytes(&self, numbers: &[f64]) -> Result<Vec<u8>, hallmark_tensor::Error> {
        let (scalar, in_rows) = self.in_rows();
        let mut rows = Vec::with_capacity(numbers.len().saturating_mul(scalar.size()));
        for number in numbers {
            rows.extend(scalar.nearest(*number).to_le_bytes().iter().take(scalar.size()));
        }
        let shape = self.spec.shape().clone();
        let rows =
            HostTensor::from_bytes(TensorSpec::new(shape, in_rows, Layout::RowMajor)?, rows)?;
        Ok(rows.to_spec(&self.spec, 0.0)?.into_bytes())
    }
}

/// A tensor's type for elements. Of elements that stand alone, only the size decides where they stand.
const fn held(element: MatrixType) -> DataType {
    match element {
        MatrixType::Block(data_type) => data_type,
        MatrixType::Scalar(data_type) => match data_type.size() {
            1 => DataType::Uint8,
            2 => DataType::Uint16,
            _ => DataType::Uint32,
        },
    }
}

/// Rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sides {
    rows: usize,
    columns: usize,
}

impl std::fmt::Display for Sides {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}×{}", self.rows, self.columns)
    }
}

impl Sides {
    const ONE: Self = Self { rows: 1, columns: 1 };

    fn elements(self) -> usize {
        self.rows.saturating_mul(self.columns)
    }

    fn of_binary(self, operator: Operator, other: Self) -> Result<Self, EvaluationReason> {
        let refused = |why: NoResult| Err(why.of(format!("{self} {} {other}", operator.text())));
        if operator == Operator::MatrixProduct {
            if self.columns != other.rows {
                return refused(NoResult::Factors);
            }
            return Ok(Self { rows: self.rows, columns: other.columns });
        }
        let common = |one: usize, other: usize| match (one, other) {
            (one, other) if one == other => Some(one),
            (1, other) => Some(other),
            (one, 1) => Some(one),
            _ => None,
        };
        match (common(self.rows, other.rows), common(self.columns, other.columns)) {
            (Some(rows), Some(columns)) => Ok(Self { rows, columns }),
            _ => refused(NoResult::Shapes),
        }
    }

    const fn of_call(self, function: Function) -> Self {
        match function {
            Function::OfNumber(_) => self,
            Function::OfMatrix(MatrixFunction::Transpose) => {
                Self { rows: self.columns, columns: self.rows }
            }
            Function::OfMatrix(MatrixFunction::EachRow(_)) => Self { columns: 1, ..self },
            Function::OfMatrix(MatrixFunction::EachColumn(_)) => Self { rows: 1, ..self },
        }
    }
}

/// Finds the shape of an expression, and counts the operations and elements of its results.
struct Shapes<'a> {
    numbers: &'a Names,
    operands: BTreeMap<&'a str, Sides>,
    work: Cell<u64>,
    /// The elements of all results. Those of a long expression can be there at the same time.
    elements: Cell<u64>,
}

impl Shapes<'_> {
    /// Counts a matrix, and the operations that each of its elements takes.
    fn add(&self, sides: Sides, operations: usize) {
        let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let elements = number(sides.elements());
        self.elements.set(self.elements.get().saturating_add(elements));
        let work = elements.saturating_mul(number(operations));
        self.work.set(self.work.get().saturating_add(work));
    }
}

impl Algebra for Shapes<'_> {
    type Value = Sides;

    fn number(&self, _: i128) -> Result<Sides, EvaluationReason> {
        Ok(Sides::ONE)
    }

    fn fraction(&self, _: Real) -> Result<Sides, EvaluationReason> {
        Ok(Sides::ONE)
    }

    fn named(&self, name: &str) -> Option<Sides> {
        let operand = self.operands.get(name).copied();
        operand.or_else(|| self.numbers.contains_key(name).then_some(Sides::ONE))
    }

    fn negative(&self, value: Sides) -> Result<Sides, EvaluationReason> {
        self.add(value, 1);
        Ok(value)
    }

    fn binary(
        &self,
        operator: Operator,
        left: Sides,
        right: Sides,
    ) -> Result<Sides, EvaluationReason> {
        if let Err(why @ NoResult::WholeNumbersOnly) = operator.apply_real(1.0, 1.0) {
            return Err(why.of(format!("{left} {} {right}", operator.text())));
        }
        let sides = left.of_binary(operator, right)?;
        let operations = match operator {
            Operator::MatrixProduct => left.columns,
            Operator::Power => FUNCTION_WORK,
            _ => 1,
        };
        self.add(sides, operations);
        Ok(sides)
    }

    fn call(&self, function: Function, operand: Sides) -> Result<Sides, EvaluationReason> {
        let operations = match function {
            Function::OfNumber(_) => FUNCTION_WORK,
            Function::OfMatrix(_) => 1,
        };
        self.add(operand, operations);
        Ok(operand.of_call(function))
    }
}

/// A matrix, row by row.
#[derive(Debug)]
struct Matrix {
    sides: Sides,
    elements: Vec<f64>,
}

impl Matrix {
    fn number(number: f64) -> Rc<Self> {
        Rc::new(Self { sides: Sides::ONE, elements: vec![number] })
    }

    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.elements.chunks(self.sides.columns.max(1))
    }

    /// A row of a matrix that is taken for one with more rows.
    fn repeated_row(&self, row: usize) -> &[f64] {
        let row = if self.sides.rows == 1 { 0 } else { row };
        let start = row.saturating_mul(self.sides.columns);
        self.elements.get(start..).and_then(|rest| rest.get(..self.sides.columns)).unwrap_or(&[])
    }

    fn transposed(&self) -> Vec<f64> {
        let columns = 0..self.sides.columns;
        columns
            .flat_map(|column| self.rows().filter_map(move |row| row.get(column)))
            .copied()
            .collect()
    }

    fn times(&self, right: &Self) -> Vec<f64> {
        let mut product = Vec::with_capacity(self.sides.rows.saturating_mul(right.sides.columns));
        for row in self.rows() {
            let mut sums = vec![0.0; right.sides.columns];
            for (factor, other) in row.iter().zip(right.rows()) {
                for (sum, element) in sums.iter_mut().zip(other) {
                    *sum += factor * element;
                }
            }
            product.append(&mut sums);
        }
        product
    }
}

/// Matrices as values of expressions.
struct Matrices<'a> {
    numbers: &'a Names,
    operands: BTreeMap<&'a str, Rc<Matrix>>,
}

impl Algebra for Matrices<'_> {
    type Value = Rc<Matrix>;

    #[expect(clippy::cast_precision_loss, reason = "double precision is what is asked for")]
    fn number(&self, number: i128) -> Result<Rc<Matrix>, EvaluationReason> {
        Ok(Matrix::number(number as f64))
    }

    fn fraction(&self, number: Real) -> Result<Rc<Matrix>, EvaluationReason> {
        Ok(Matrix::number(number.get()))
    }

    #[expect(clippy::cast_precision_loss, reason = "double precision is what is asked for")]
    fn named(&self, name: &str) -> Option<Rc<Matrix>> {
        let operand = self.operands.get(name).cloned();
        operand.or_else(|| self.numbers.get(name).map(|number| Matrix::number(*number as f64)))
    }

    fn negative(&self, value: Rc<Matrix>) -> Result<Rc<Matrix>, EvaluationReason> {
        let elements = value.elements.iter().map(|element| -element).collect();
        Ok(Rc::new(Matrix { sides: value.sides, elements }))
    }

    fn binary(
        &self,
        operator: Operator,
        left: Rc<Matrix>,
        right: Rc<Matrix>,
    ) -> Result<Rc<Matrix>, EvaluationReason> {
        let sides = left.sides.of_binary(operator, right.sides)?;
        if operator == Operator::MatrixProduct {
            return Ok(Rc::new(Matrix { sides, elements: left.times(&right) }));
        }
        let mut elements = Vec::with_capacity(sides.elements());
        for row in 0..sides.rows {
            let (left, right) = (left.repeated_row(row), right.repeated_row(row));
            for column in 0..sides.columns {
                let at = |row: &[f64]| row.get(column).or(row.first()).copied().unwrap_or_default();
                let (left, right) = (at(left), at(right));
                let element = operator.apply_real(left, right).map_err(|why| {
                    let text = operator.text();
                    why.of(format!("{left} {text} {right} in row {row}, column {column}"))
                })?;
                elements.push(element);
            }
        }
        Ok(Rc::new(Matrix { sides, elements }))
    }

    fn call(
        &self,
        function: Function,
        operand: Rc<Matrix>,
    ) -> Result<Rc<Matrix>, EvaluationReason> {
        let folded = |fold: Fold, numbers: &mut dyn Iterator<Item = f64>| {
            numbers.reduce(|one, other| fold.of(one, other)).unwrap_or(fold.of_none())
        };
        let elements = match function {
            Function::OfNumber(function) => {
                operand.elements.iter().map(|element| function.of(*element)).collect()
            }
            Function::OfMatrix(MatrixFunction::Transpose) => operand.transposed(),
            Function::OfMatrix(MatrixFunction::EachRow(fold)) => {
                operand.rows().map(|row| folded(fold, &mut row.iter().copied())).collect()
            }
            Function::OfMatrix(MatrixFunction::EachColumn(fold)) => (0..operand.sides.columns)
                .map(|column| {
                    let numbers = operand.rows().filter_map(|row| row.get(column)).copied();
                    folded(fold, &mut { numbers })
                })
                .collect(),
        };
        Ok(Rc::new(Matrix { sides: operand.sides.of_call(function), elements }))
    }
}

/// An operand: its name, where its elements stand, and its bytes.
pub(super) type Operand<'a> = (&'a str, MatrixForm, BoundData);

/// The value of an expression over these operands.
pub(super) fn compute(
    evaluator: &mut Evaluator<'_>,
    value: &MatrixValue,
    operands: &[Operand<'_>],
    defaults: Defaults,
    span: Span,
    depth: Depth,
) -> Option<BoundData> {
    let matrices = operands.iter().map(|(_, form, _)| form.matrices()).max().unwrap_or(1);
    for (name, form, _) in operands {
        if form.matrices() != matrices && form.matrices() != 1 {
            return evaluator.mistakes().add(
                format!(
                    "`{name}` has {} matrices, and another operand {matrices}",
                    form.matrices()
                ),
                span,
                "an operand has one matrix, or as many as all others",
            );
        }
    }
    let mut names = evaluator.numbers().clone();
    let shapes = Shapes {
        numbers: &names,
        operands: operands.iter().map(|(name, form, _)| (*name, form.shape())).collect(),
        work: Cell::new(0),
        elements: Cell::new(0),
    };
    let sides = value.formula().value_in(&shapes);
    let work = shapes.work.get().saturating_mul(matrices);
    let operand_elements = operands
        .iter()
        .fold(0_u64, |sum, (_, form, _)| sum.saturating_add(form.spec.shape().elements()));
    let elements = shapes.elements.get().max(operand_elements);
    // For the suggestions of a mistake.
    names.extend(operands.iter().map(|(name, _, _)| ((*name).to_owned(), 0)));
    let sides = evaluator.noted(sides, &names)?;
    if work > WORK_LIMIT || elements > ELEMENT_LIMIT {
        return evaluator.mistakes().add(
            format!("this value takes {work} operations and {elements} elements"),
            span,
            format!("the limits are {WORK_LIMIT} and {ELEMENT_LIMIT}; take smaller matrices"),
        );
    }
    let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
    let count = u32::try_from(matrices).unwrap_or(u32::MAX);
    let dimensions = [count, side(sides.rows), side(sides.columns)];
    let form = MatrixForm::new(evaluator, &dimensions, defaults.element, defaults.layout, span)?;
    limited(evaluator, form.length(), span)?;
    if depth == Depth::Check || operands.iter().any(|(_, _, data)| data.bytes.is_none()) {
        return Some(BoundData::unmade(form.length()));
    }
    let mut numbers = Vec::new();
    for (name, form, data) in operands {
        match form.numbers(data.bytes.as_deref().unwrap_or_default()) {
            Ok(elements) => numbers.push((*name, form, elements)),
            Err(error) => return evaluator.mistakes().add(error.to_string(), span, ""),
        }
    }
    let matrix_of = |form: &MatrixForm, elements: &[f64]| {
        Rc::new(Matrix { sides: form.shape(), elements: elements.to_vec() })
    };
    // An operand with one matrix is the same for each result.
    let common: Vec<(&str, Rc<Matrix>)> = numbers
        .iter()
        .filter(|(_, form, _)| form.matrices() == 1)
        .map(|(name, form, elements)| (*name, matrix_of(form, elements)))
        .collect();
    let mut result = Vec::new();
    for matrix in 0..usize::try_from(matrices).unwrap_or(usize::MAX) {
        let own = numbers.iter().filter(|(_, form, _)| form.matrices() != 1).map(
            |(name, form, elements)| {
                let mut parts = elements.chunks(form.shape().elements().max(1));
                (*name, matrix_of(form, parts.nth(matrix).unwrap_or(&[])))
            },
        );
        let algebra =
            Matrices { numbers: &names, operands: common.iter().cloned().chain(own).collect() };
        let computed = value.formula().value_in(&algebra);
        result.extend_from_slice(&evaluator.noted(computed, &names)?.elements);
    }
    match form.bytes(&result) {
        Ok(bytes) => Some(BoundData::of(bytes)),
        Err(error) => evaluator.mistakes().add(error.to_string(), span, ""),
    }
}
