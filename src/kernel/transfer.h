// kernel/transfer.h: transfer.upload and transfer.readback: plain values to columns and back. On the CPU device nothing
// moves and nothing waits.

#ifndef MARRAM_KERNEL_TRANSFER_H
#define MARRAM_KERNEL_TRANSFER_H

#include "data/value.h"
#include "kernel/element_program.h"

// A Record's values as columns under the same names (a new Record, published):
//   Number, Int, Bool (1 or 0)   one Float element; a Text one Text element, a Vec or Color one of its type
//   List of numbers              Float; of truths Bool; of texts Text
//   List of vectors              Vec2, Vec3, Vec4 or Color: each a Vec, a Record of x y [z [w]] or r g b [a], or a List of
//                                2 to 4 numbers
//   Record {type, values}        a column of that type (Float Int UInt Bool Vec2 Vec3 Vec4 Color Mat4 Int2 Int3 Int4, and
//                                Text or String) of a List, or of one value. A Color of three lanes has alpha 1
//   any other Record             a table: a Record of columns
//   Column                       itself; a live Count its word, a plain one a UInt
// Errors (MR_BAD_INPUT) name the key and the element: an empty List outside {type, values}, whose elements have no type;
// elements of different sorts; a number that the type cannot hold (past Float's range; not whole, or out of range, for the
// integers); other values.
bool mr_transfer_upload(mr_context *context, const mr_value *values, mr_value *columns, mr_error *error);

// A Record's columns as plain values under the same names: a Column a List (of Numbers, Bools, Texts, Vecs and Colors;
// integer vectors and matrices are Lists of Numbers), of its live elements; a Count a Number, as it is; a Geometry, and
// Numbers, Bools, Texts and Vecs, themselves; Records and Lists item by item. Errors (MR_BAD_INPUT): other values.
bool mr_transfer_readback(mr_context *context, const mr_value *columns, mr_value *values, mr_error *error);

// A field read back over the elements of the columns it reads. Errors (MR_BAD_INPUT): one that reads no column has no
// length.
bool mr_transfer_readback_field(mr_context *context, const mr_element_program *program, mr_value *value,
                                mr_error *error);

#endif
