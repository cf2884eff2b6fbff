//! Tests of the checks: for each check that refuses a capture, a test fails while the check is switched off.
//!
//! `cargo nextest run -p hallmark-schema --features sabotage -E 'test(liars)'` switches them off, one by one.

use hallmark_chip::sabotage::liars::{Liar, liar, unmatched};

use crate::DIFF_CHECKS;
use crate::checks::FILE_CHECKS;
use crate::error::Rule;
use crate::generator::DataError;

const LIARS: &[Liar] = &[
    liar("Rule::Harvesting", "tests::rules::a_record_fits_its_program"),
    liar("Rule::IdOutOfOrder", "tests::rules::ids_count_creations"),
    liar("Rule::Undefined", "tests::rules::objects_are_used_while_they_are_there"),
    liar("Rule::NotUsable", "tests::rules::objects_are_used_while_they_are_there"),
    liar("Rule::NotAscending", "tests::rules::arguments_that_the_runtime_fills_in_are_in_order"),
    liar("Rule::PageSize", "tests::rules::pages_divide_buffers"),
    liar("Rule::ShardSpec", "tests::rules::shards_hold_their_buffer"),
    liar("Rule::NoShard", "tests::rules::arguments_that_the_runtime_fills_in_are_in_order"),
    liar("Rule::Region", "tests::rules::regions_are_whole_pages_of_their_buffer"),
    liar("Rule::CircularBufferSize", "tests::rules::circular_buffers_hold_whole_pages"),
    liar("Rule::NoIndex", "tests::rules::circular_buffers_hold_whole_pages"),
    liar("Rule::CircularBufferIndex", "tests::rules::circular_buffers_hold_whole_pages"),
    liar("Rule::NoCores", "tests::rules::cores_lie_within_the_grid"),
    liar("Rule::EmptyRange", "tests::rules::cores_lie_within_the_grid"),
    liar("Rule::OutsideGrid", "tests::rules::cores_lie_within_the_grid"),
    liar("Rule::EmptyGrid", "tests::rules::a_grid_has_cores"),
    liar("Rule::Name", "tests::rules::outputs_have_names_of_their_own"),
    liar("Rule::Path", "tests::rules::kernels_have_their_sources"),
    liar("Rule::NoReason", "tests::rules::outputs_have_names_of_their_own"),
    liar("Rule::Define", "tests::rules::definitions_are_identifiers"),
    liar(
        "Rule::NamedCompileArg",
        "tests::origins::kernels_and_circular_buffers_say_what_metalium_takes",
    ),
    liar(
        "Rule::DefaultOptLevel",
        "tests::origins::kernels_and_circular_buffers_say_what_metalium_takes",
    ),
    liar("Rule::KernelBinding", "tests::origins::bindings_have_the_values_of_their_kind"),
    liar("Rule::TileShape", "tests::origins::kernels_and_circular_buffers_say_what_metalium_takes"),
    liar(
        "Rule::NoL1SmallRegion",
        "tests::origins::kernels_and_circular_buffers_say_what_metalium_takes",
    ),
    liar("Rule::NotThatWord", "tests::origins::placement_bound_words_are_plain_numbers_of_a_call"),
    liar("Rule::SourceNotListed", "tests::rules::kernels_have_their_sources"),
    liar(
        "Rule::RelocationOutOfRange",
        "tests::rules::arguments_that_the_runtime_fills_in_are_in_order",
    ),
    liar(
        "Rule::RelocatedWordNotZero",
        "tests::rules::arguments_that_the_runtime_fills_in_are_in_order",
    ),
    liar("Rule::CoordinateOffset", "tests::rules::a_coordinate_with_an_offset_is_refused_in_bytes"),
    liar("Rule::IndexNotConfigured", "tests::rules::updates_of_circular_buffers_keep_whole_pages"),
    liar(
        "Rule::CommonArgumentsTwice",
        "tests::rules::common_arguments_are_set_once_and_count_with_the_others",
    ),
    liar(
        "Rule::CommonArgumentOutOfRange",
        "tests::rules::common_arguments_are_set_once_and_count_with_the_others",
    ),
    liar("Rule::DataLength", "tests::rules::data_fill_their_buffer"),
    liar("Rule::Generator", "tests::rules::data_fill_their_buffer"),
    liar("Rule::NotFinite", "tests::rules::tolerances_allow_something"),
    liar("Rule::Tolerance", "tests::rules::tolerances_allow_something"),
    liar("Rule::OutputTwice", "tests::rules::outputs_have_names_of_their_own"),
    liar(
        "Rule::CollectedTwice",
        "tests::sample_queues::a_trace_is_loaded_from_what_was_collected_before",
    ),
    liar(
        "Rule::NotCollected",
        "tests::sample_queues::a_trace_is_loaded_from_what_was_collected_before",
    ),
    liar(
        "Rule::NotThatCollect",
        "tests::sample_queues::a_record_names_the_commands_that_collected",
    ),
    liar(
        "Rule::NotThatFault",
        "tests::faults::only_what_failed_on_the_device_can_be_an_expected_fault",
    ),
    liar("Rule::OutputUnknown", "tests::rules::a_record_fits_its_program"),
    liar("Rule::UnfinishedNotLast", "tests::rules::only_the_last_command_can_be_unfinished"),
    liar("Rule::NoSuchEnqueue", "tests::rules::failures_blame_a_program_that_was_enqueued"),
    liar("Rule::NoSuchQueue", "tests::sample_queues::queues_and_events_exist_before_they_are_used"),
    liar(
        "Rule::CommandQueues",
        "tests::sample_queues::queues_and_events_exist_before_they_are_used",
    ),
    liar(
        "Rule::Tracing",
        "tests::sample_queues::what_was_done_is_possible_while_a_queue_records_a_trace",
    ),
    liar("Rule::NotEarlier", "tests::sample_queues::queues_and_events_exist_before_they_are_used"),
    liar("Rule::NoSuchCommand", "tests::rules::a_record_fits_its_program"),
    liar("Rule::NotThatRead", "tests::rules::a_record_fits_its_program"),
    liar("Rule::ReadWithoutResult", "tests::rules::a_read_that_nobody_waited_for_needs_no_result"),
    liar("Rule::Contradiction", "tests::rules::a_record_fits_its_program"),
    liar("Rule::BlobHash", "tests::rules::a_record_fits_its_program"),
    liar("Rule::Processor", "tests::rules::a_record_fits_its_program"),
    liar("Rule::InputAfterOutput", "tests::free_tensors::inputs_come_before_outputs"),
    liar("Rule::TensorTwice", "tests::free_tensors::tensors_of_a_role_have_names_of_their_own"),
    liar("Rule::NoTensorBuffer", "tests::free_tensors::each_tensor_has_a_buffer_of_its_own"),
    liar("Rule::SharedTensorBuffer", "tests::free_tensors::each_tensor_has_a_buffer_of_its_own"),
    liar("Rule::FreeBufferUsed", "tests::free_tensors::no_command_uses_what_a_free_buffer_holds"),
    liar("Rule::TensorBeyondBuffer", "tests::free_tensors::a_tensor_fits_its_buffer"),
    liar("Rule::NoAddress", "tests::rules::a_record_fits_its_program"),
    liar("Problem::Corrupt", "tests::sweeps::every_flipped_bit_is_noticed"),
    liar("Problem::NotACapture", "tests::sweeps::what_is_no_capture_is_told"),
    liar("Problem::NewerVersion", "tests::sweeps::another_version_names_the_reader_that_it_needs"),
    liar("Problem::OlderVersion", "tests::sweeps::another_version_names_the_reader_that_it_needs"),
    liar("Problem::StampTooLow", "minor::tests::a_file_that_says_less_than_it_holds_is_refused"),
    liar("Problem::UnknownField", "tests::sweeps::an_unknown_field_is_refused"),
    liar(
        "Problem::NotCanonical",
        "tests::sweeps::a_program_part_in_another_order_is_not_canonical",
    ),
    liar("DataError::TooLong", "tests::generators::data_are_what_their_hash_says"),
    liar("DataError::Hash", "tests::generators::data_are_what_their_hash_says"),
    liar("DataError::Length", "tests::generators::data_are_what_their_hash_says"),
    liar("diff::OutputOfSecond", "tests::differences::what_only_the_second_has"),
    liar("diff::SourceOfSecond", "tests::differences::what_only_the_second_has"),
    liar("diff::CommandOfSecond", "tests::differences::an_added_command_moves_no_other"),
    liar("diff::TensorOfSecond", "tests::free_tensors::differences_are_told_by_tensor_and_field"),
    liar("diff::IdOfAnotherObject", "tests::differences::an_equal_id_may_be_of_another_object"),
];

#[test]
fn every_check_has_a_liar() {
    let rules = Rule::KINDS.iter().map(|kind| format!("Rule::{kind}"));
    let files = FILE_CHECKS.iter().map(|kind| format!("Problem::{kind}"));
    let differences = DIFF_CHECKS.iter().map(|kind| format!("diff::{kind}"));
    let data = DataError::CHECKS.iter().map(|&check| check.to_owned());
    let checks: Vec<String> = rules.chain(files).chain(data).chain(differences).collect();
    println!("{} checks, {} liars", checks.len(), LIARS.len());
    assert_eq!(unmatched(&checks, LIARS), Vec::<String>::new());
}

#[test]
#[cfg(feature = "sabotage")]
fn a_test_fails_without_its_check() {
    use hallmark_chip::sabotage::liars::{fails_without, idle};
    assert_eq!(idle(LIARS, fails_without).unwrap(), Vec::new(), "their tests pass without");
}
