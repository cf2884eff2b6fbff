// Brings a tensor from the pages of one buffer into those of another: between rows and tiles, between tiles of
// different shapes, between memories. What only fills up tiles and rows of the destination becomes 0.
//
// A page is seen as faces in rows. A row, or the part of a row that a shard has, is a page of one face that is one
// element high. Each core has whole pages of the destination: those of a range of cells. A cell is one page across and
// a band of rows down; the cells of a band are counted first. A core goes through its part of a band in chunks of
// columns: it reads what the source has there into an image of its pages, moves the elements to an image of the
// destination's pages, and writes that.
//
// Compile-time arguments: TensorAccessor of the source, TensorAccessor of the destination, each without numbers: all
// that they ask for are common runtime arguments.
// Compile-time arguments for a check: 127,0,125,0
// Common runtime arguments: 0 source, 1 destination, 2 bytes of an element, or 0 to copy pages as they are, 3 rows of a
// matrix, 4 columns of a matrix, 5 rows of a band, 6 columns of a chunk, 7 bytes of the source's image, or of the
// scratch memory where pages are copied; from 8 on the source's pages (see Pages), from 17 on the destination's; from
// 26 on those of the source's accessor, and behind them those of the destination's.
// Runtime arguments: 0 first cell, 1 end of the cells; where pages are copied, pages.

#include <cstdint>

#include "api/dataflow/dataflow_api.h"
#include "api/tensor/tensor_accessor.h"

namespace {

constexpr uint32_t kScratch = 0;

// Addresses in an image agree with those in banks modulo this: the largest alignment of a memory.
constexpr uint32_t kAlignment = 64;

// Code is loaded with each launch: what is called in several places stands in one.
#define ONCE __attribute__((noinline))

FORCE_INLINE uint32_t smaller(uint32_t one, uint32_t other) { return one < other ? one : other; }

FORCE_INLINE volatile tt_l1_ptr uint32_t* words_at(uint32_t address) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
}

// The pages of a buffer, all in elements but bytes.
struct Pages {
    uint32_t bytes;
    // From one page of a bank to the next, bytes.
    uint32_t stride;
    uint32_t height;
    uint32_t width;
    uint32_t face_height;
    uint32_t face_width;
    // Pages side by side, and below each other in a matrix.
    uint32_t across;
    uint32_t down;
    // Bytes of a page's place in an image.
    uint32_t slot;
    // Whether elements of a page are one row, of which an image may hold a part.
    bool are_rows;

    ONCE explicit Pages(uint32_t first) {
        bytes = get_common_arg_val<uint32_t>(first);
        stride = get_common_arg_val<uint32_t>(first + 1);
        height = get_common_arg_val<uint32_t>(first + 2);
        width = get_common_arg_val<uint32_t>(first + 3);
        face_height = get_common_arg_val<uint32_t>(first + 4);
        face_width = get_common_arg_val<uint32_t>(first + 5);
        across = get_common_arg_val<uint32_t>(first + 6);
        down = get_common_arg_val<uint32_t>(first + 7);
        slot = get_common_arg_val<uint32_t>(first + 8);
        are_rows = height == 1 && face_width == width;
    }
};

// Rows and columns of one matrix.
struct Part {
    uint32_t matrix;
    uint32_t top;
    uint32_t bottom;
    uint32_t left;
    uint32_t right;
};

// The pages that have a part of the tensor, in L1, each in a slot.
struct Image {
    const Pages& pages;
    const uint32_t address;
    const uint32_t element;
    const uint32_t first_row;
    const uint32_t first_column;
    const uint32_t rows;
    const uint32_t columns;
    // Bytes at the beginning of the first column's pages that the image leaves out.
    const uint32_t left_out;

    ONCE Image(const Pages& pages, uint32_t address, uint32_t element, const Part& part)
        : pages(pages),
          address(address),
          element(element),
          first_row(part.top / pages.height),
          first_column(part.left / pages.width),
          rows((part.bottom - 1) / pages.height + 1 - first_row),
          columns((part.right - 1) / pages.width + 1 - first_column),
          left_out(pages.are_rows ? (part.left - first_column * pages.width) * element & ~(kAlignment - 1) : 0) {}

    uint32_t slot(uint32_t row, uint32_t column) const {
        return address + ((row - first_row) * columns + column - first_column) * pages.slot;
    }

    // Where a row begins.
    ONCE uint32_t place_of_row(uint32_t row) const {
        const uint32_t page_row = row / pages.height;
        const uint32_t y = row - page_row * pages.height;
        const uint32_t face_row = y / pages.face_height;
        const uint32_t faces = face_row * (pages.width / pages.face_width);
        const uint32_t face_rows = faces * pages.face_height + y - face_row * pages.face_height;
        return slot(page_row, first_column) + face_rows * pages.face_width * element;
    }

    // Rows from a row on that lie equally far from each other.
    uint32_t rows_from(uint32_t row) const {
        return pages.face_height == 1 ? 0xFFFFFFFF : pages.face_height - row % pages.face_height;
    }

    // How far, in bytes.
    uint32_t row_stride() const {
        return pages.face_height == 1 ? columns * pages.slot : pages.face_width * element;
    }
};

// A column's place in the rows of an image, from face to face and from page to page.
struct Walk {
    // Behind a row's place, bytes.
    uint32_t place;
    // Columns to the end of the face, and faces behind it in the page.
    uint32_t columns;
    uint32_t faces;
    // Where the next page begins.
    uint32_t next_page;

    ONCE Walk(const Image& image, uint32_t column) {
        const Pages& pages = image.pages;
        const uint32_t x = column - image.first_column * pages.width;
        const uint32_t face = x / pages.face_width;
        const uint32_t in_face = x - face * pages.face_width;
        place = (face * pages.face_height * pages.face_width + in_face) * image.element -
                image.left_out;
        columns = pages.face_width - in_face;
        faces = pages.width / pages.face_width - 1 - face;
        next_page = pages.slot;
    }

    // Goes on by so many columns, at most to the end of the face.
    FORCE_INLINE void advance(const Image& image, uint32_t count) {
        columns -= count;
        place += count * image.element;
        if (columns > 0) {
            return;
        }
        const Pages& pages = image.pages;
        columns = pages.face_width;
        if (faces > 0) {
            --faces;
            place += (pages.face_height - 1) * pages.face_width * image.element;
            return;
        }
        faces = pages.width / pages.face_width - 1;
        place = next_page;
        next_page += pages.slot;
    }
};

// Copies as many bytes of each row, where addresses do not agree. Rows begin at words, because pages have whole words.
// What follows the last byte is no element.
ONCE void copy_by_words(uint32_t to, uint32_t to_stride, uint32_t from, uint32_t from_stride, uint32_t bytes,
                        uint32_t rows) {
    for (; rows > 0; --rows, to += to_stride, from += from_stride) {
        uint32_t place = 0;
        for (; place + 4 <= bytes; place += 4) {
            *words_at(to + place) = *words_at(from + place);
        }
        for (; place < bytes; ++place) {
            *reinterpret_cast<volatile tt_l1_ptr uint8_t*>(to + place) =
                *reinterpret_cast<volatile tt_l1_ptr uint8_t*>(from + place);
        }
    }
}

// Begins to copy where addresses agree: reads from this tile's own memory take less time than loads and stores.
// `prepared` is the size for which such reads are prepared.
ONCE void copy_by_reads(uint32_t to, uint32_t to_stride, uint32_t from, uint32_t from_stride, uint32_t bytes,
                        uint32_t rows, uint32_t prepared) {
    if (bytes != prepared) {
        noc_async_read_one_packet_set_state(get_noc_addr(from), bytes);
    }
    for (uint32_t row = 0; row < rows; ++row, to += to_stride, from += from_stride) {
        noc_async_read_one_packet_with_state<false>(from, to);
    }
    noc_async_read_inc_num_issued(rows);
}

// As many bytes as slots have, which are multiples of the alignment.
ONCE void fill_with_zeros(uint32_t address, uint32_t bytes) {
    for (const uint32_t end = address + bytes; address != end; address += 16) {
        words_at(address)[0] = 0;
        words_at(address)[1] = 0;
        words_at(address)[2] = 0;
        words_at(address)[3] = 0;
    }
}

// Loading the last store back makes sure that all stores before it have reached L1.
ONCE void settle_stores(uint32_t address) {
    volatile tt_l1_ptr uint32_t* word = words_at(address);
    *word = address;
    while (*word != address) {
    }
}

template <typename Accessor>
ONCE void read(const Accessor& source, uint32_t page, uint32_t offset, uint32_t to, uint32_t bytes) {
    noc_async_read(source.get_noc_addr(page, offset), to, bytes);
}

template <typename Accessor>
ONCE void write(const Accessor& destination, uint32_t page, uint32_t offset, uint32_t from, uint32_t bytes) {
    noc_async_write(from, destination.get_noc_addr(page, offset), bytes);
}

// Begins to read those elements of a page that lie in a part.
template <typename Accessor>
ONCE void read_page(const Accessor& source, const Image& image, uint32_t row, uint32_t column, const Part& part) {
    const Pages& pages = image.pages;
    const uint32_t page = (part.matrix * pages.down + row) * pages.across + column;
    const uint32_t slot = image.slot(row, column);
    const uint32_t top = part.top > row * pages.height ? part.top - row * pages.height : 0;
    const uint32_t bottom = smaller(part.bottom - row * pages.height, pages.height);
    const uint32_t left = part.left > column * pages.width ? part.left - column * pages.width : 0;
    const uint32_t right = smaller(part.right - column * pages.width, pages.width);
    if (pages.are_rows) {
        const uint32_t offset = left * image.element;
        const uint32_t left_out = column == image.first_column ? image.left_out : 0;
        read(source, page, offset, slot + offset - left_out, (right - left) * image.element);
        return;
    }
    if (top == 0 && bottom == pages.height) {
        read(source, page, 0, slot, pages.bytes);
        return;
    }
    // Of each face the rows that are asked for.
    const uint32_t row_bytes = pages.face_width * image.element;
    const uint32_t faces = pages.width / pages.face_width;
    const uint32_t last_face = (right - 1) / pages.face_width;
    for (uint32_t face_row = top / pages.face_height; face_row * pages.face_height < bottom; ++face_row) {
        const uint32_t begin = face_row * pages.face_height;
        const uint32_t first = top > begin ? top - begin : 0;
        const uint32_t count = smaller(bottom - begin, pages.face_height) - first;
        for (uint32_t face = left / pages.face_width; face <= last_face; ++face) {
            const uint32_t offset = ((face_row * faces + face) * pages.face_height + first) * row_bytes;
            read(source, page, offset, slot + offset, count * row_bytes);
        }
    }
}

// Begins to write what an image has of a page.
template <typename Accessor>
ONCE void write_page(const Accessor& destination, const Image& image, uint32_t row, uint32_t column, const Part& part) {
    const Pages& pages = image.pages;
    const uint32_t page = (part.matrix * pages.down + row) * pages.across + column;
    uint32_t offset = 0;
    uint32_t bytes = pages.bytes;
    if (pages.are_rows) {
        const uint32_t begin = column * pages.width;
        offset = part.left > begin ? (part.left - begin) * image.element : 0;
        bytes = smaller(part.right - begin, pages.width) * image.element - offset;
    }
    const uint32_t left_out = column == image.first_column ? image.left_out : 0;
    write(destination, page, offset, image.slot(row, column) + offset - left_out, bytes);
}

// Moves the elements of a part from one image to another.
ONCE void move_elements(const Image& from, const Image& to, const Part& part) {
    const uint32_t from_stride = from.row_stride();
    const uint32_t to_stride = to.row_stride();
    uint32_t prepared = 0;
    for (uint32_t row = part.top; row < part.bottom;) {
        const uint32_t rows = smaller(part.bottom - row, smaller(from.rows_from(row), to.rows_from(row)));
        const uint32_t from_row = from.place_of_row(row);
        const uint32_t to_row = to.place_of_row(row);
        Walk read(from, part.left);
        Walk written(to, part.left);
        for (uint32_t left = part.right - part.left; left > 0;) {
            const uint32_t columns = smaller(left, smaller(read.columns, written.columns));
            const uint32_t bytes = columns * to.element;
            const uint32_t source = from_row + read.place;
            const uint32_t destination = to_row + written.place;
            if ((destination - source) % 16 != 0 || bytes > NOC_MAX_BURST_SIZE) {
                copy_by_words(destination, to_stride, source, from_stride, bytes, rows);
            } else {
                copy_by_reads(destination, to_stride, source, from_stride, bytes, rows, prepared);
                prepared = bytes;
            }
            read.advance(from, columns);
            written.advance(to, columns);
            left -= columns;
        }
        row += rows;
    }
}

// Copies pages as they are, several at a time where they are small, a piece at a time where they are large.
template <typename Source, typename Destination>
ONCE void copy_pages(const Source& source, const Destination& destination, uint32_t bytes, uint32_t scratch,
                uint32_t scratch_bytes, uint32_t first, uint32_t end) {
    const uint32_t slot = (smaller(bytes, scratch_bytes) + kAlignment - 1) & ~(kAlignment - 1);
    const uint32_t slots = scratch_bytes / slot;
    while (first < end) {
        const uint32_t last = smaller(end - first, slots) + first;
        for (uint32_t offset = 0; offset < bytes; offset += slot) {
            const uint32_t size = smaller(bytes - offset, slot);
            noc_async_writes_flushed();
            uint32_t place = scratch;
            for (uint32_t page = first; page < last; ++page, place += slot) {
                read(source, page, offset, place, size);
            }
            noc_async_read_barrier();
            place = scratch;
            for (uint32_t page = first; page < last; ++page, place += slot) {
                write(destination, page, offset, place, size);
            }
        }
        first = last;
    }
}

}  // namespace

void kernel_main() {
    constexpr uint32_t kSourcePages = 8;
    constexpr uint32_t kDestinationPages = 17;
    constexpr uint32_t kAccessors = 26;
    const uint32_t element = get_common_arg_val<uint32_t>(2);
    const uint32_t height = get_common_arg_val<uint32_t>(3);
    const uint32_t width = get_common_arg_val<uint32_t>(4);
    const uint32_t band = get_common_arg_val<uint32_t>(5);
    const uint32_t chunk = get_common_arg_val<uint32_t>(6);
    const uint32_t image_bytes = get_common_arg_val<uint32_t>(7);
    const Pages from(kSourcePages);
    const Pages to(kDestinationPages);

    constexpr uint32_t kDestinationArguments = TensorAccessorArgs<0, kAccessors>::next_compile_time_args_offset();
    constexpr auto source_args = TensorAccessorArgs<0, kAccessors>();
    const auto destination_args =
        TensorAccessorArgs<kDestinationArguments>(source_args.next_common_runtime_args_offset());
    const auto source = TensorAccessor(source_args, get_common_arg_val<uint32_t>(0), from.stride);
    const auto destination = TensorAccessor(destination_args, get_common_arg_val<uint32_t>(1), to.stride);

    uint32_t cell = get_arg_val<uint32_t>(0);
    const uint32_t end = get_arg_val<uint32_t>(1);
    const uint32_t scratch = (get_write_ptr(kScratch) + kAlignment - 1) & ~(kAlignment - 1);
    if (element == 0) {
        copy_pages(source, destination, from.bytes, scratch, image_bytes, cell, end);
        noc_async_write_barrier();
        return;
    }
    // A word of its own, then the two images.
    const uint32_t source_image = scratch + kAlignment;
    const uint32_t destination_image = source_image + image_bytes;
    const uint32_t bands = (height + band - 1) / band;
    while (cell < end) {
        const uint32_t band_number = cell / to.across;
        const uint32_t first = cell - band_number * to.across;
        const uint32_t cells = smaller(end - cell, to.across - first);
        cell += cells;
        Part part;
        part.matrix = band_number / bands;
        part.top = (band_number - part.matrix * bands) * band;
        part.bottom = smaller(part.top + band, height);
        const uint32_t right = (first + cells) * to.width;
        for (part.left = first * to.width; part.left < right; part.left = part.right) {
            part.right = smaller(part.left + chunk, right);
            // The rest fills up tiles and rows.
            Part inside = part;
            inside.right = smaller(part.right, width);
            const Image written(to, destination_image, element, part);
            if (inside.left < inside.right) {
                const Image read(from, source_image, element, inside);
                for (uint32_t row = 0; row < read.rows; ++row) {
                    for (uint32_t column = 0; column < read.columns; ++column) {
                        read_page(source, read, read.first_row + row, read.first_column + column, inside);
                    }
                }
            }
            noc_async_read_barrier();
            // What was written last comes from the same image.
            noc_async_writes_flushed();
            if (inside.right < part.right || part.bottom % to.height != 0) {
                fill_with_zeros(destination_image, written.rows * written.columns * to.slot);
                settle_stores(scratch);
            }
            if (inside.left < inside.right) {
                move_elements(Image(from, source_image, element, inside), written, inside);
                settle_stores(scratch);
                noc_async_read_barrier();
            }
            for (uint32_t row = 0; row < written.rows; ++row) {
                for (uint32_t column = 0; column < written.columns; ++column) {
                    write_page(destination, written, written.first_row + row, written.first_column + column, part);
                }
            }
        }
    }
    noc_async_write_barrier();
}
