// io/csv.h: tables as text. Quoting is RFC 4180's: fields with a comma, quote or line break are quoted. Lines end in \n, which
// every reader takes (or in what line_end says: set it after begin). Streams to a file that appears whole or not at all.

#ifndef MARRAM_IO_CSV_H
#define MARRAM_IO_CSV_H

#include "base/file.h"

typedef struct mr_csv {
    mr_file_writer file;
    mr_text line;
    const char *line_end;
    bool in_row;
    bool failed;
    mr_error error; // the first
} mr_csv;

// Errors are kept until mr_csv_finish, which says them; after one, every call does nothing. mr_csv_abandon is harmless
// after finish.
bool mr_csv_begin(mr_context *context, const char *path, mr_csv *csv, mr_error *error);
void mr_csv_text(mr_csv *csv, mr_view field);
void mr_csv_number(mr_csv *csv, double value); // %.9g, without a locale
void mr_csv_integer(mr_csv *csv, int64_t value);
void mr_csv_row(mr_csv *csv); // ends the row
bool mr_csv_finish(mr_csv *csv, mr_error *error);
void mr_csv_abandon(mr_csv *csv);

#endif
