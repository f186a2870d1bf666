// SPDX-License-Identifier: MIT
// Breaks lines between words, and escapes what would act on a terminal. It is a stream in front of
// the terminal, or of stdout, so that it holds for all that kov prints, whoever prints it.
#include "tools/lines.h"
#include "tools/kov.h"
#include "tools/text.h"

#include <orrery/utf8.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_WIDTH 20
#define WORD_BYTES 1024
#define SEQUENCE_BYTES 32
#define CHARACTER_BYTES 4 // of UTF-8, at most

struct printer {
    FILE *out;
    int fd;
    int column;            // characters of this line that are printed
    int hang;              // where the next line begins if this one is broken
    int blanks;            // before the word; printed only if the word comes on the same line
    char word[WORD_BYTES]; // not yet printed
    size_t bytes;
    int characters;                 // of the word
    bool escape;                    // within a control sequence, which has no width
    bool begun;                     // the line has a word
    char part[CHARACTER_BYTES + 1]; // of a character whose end has not come yet
    size_t part_bytes;
};

static struct printer printers[2];
static bool as_they_are;

static int width_of_terminal(int fd)
{
    struct winsize window;
    if (settings.wide || settings.json || settings.csv || !isatty(fd) ||
        ioctl(fd, TIOCGWINSZ, &window) != 0 || window.ws_col == 0)
        return LINES_ANY_WIDTH;
    return window.ws_col < LEAST_WIDTH ? LEAST_WIDTH : window.ws_col;
}

int lines_width(void)
{
    return as_they_are ? LINES_ANY_WIDTH : width_of_terminal(STDOUT_FILENO);
}

int lines_message_width(void)
{
    return width_of_terminal(STDERR_FILENO);
}

static void print_blanks(struct printer *printer, int count)
{
    fprintf(printer->out, "%*s", count, "");
    printer->column += count;
}

static void break_line(struct printer *printer, int width)
{
    fputc('\n', printer->out);
    printer->column = printer->blanks = 0;
    int room = width - printer->characters; // a long word begins further left
    print_blanks(printer, printer->hang < room ? printer->hang : room);
}

// Prints the word, on a new line if this one has no room for it.
static void print_word(struct printer *printer, int width)
{
    if (printer->bytes == 0)
        return;
    bool fits = printer->column + printer->blanks + printer->characters <= width;
    if (!fits && printer->begun && printer->characters > 0)
        break_line(printer, width);
    // What follows two blanks in the first half of a line is a column: the rest stands below it.
    int begin = printer->column + printer->blanks;
    if (!printer->begun)
        printer->hang = begin + 4 < width / 2 ? begin + 2 : 0;
    else if (printer->blanks >= 2 && begin <= width / 2)
        printer->hang = begin;
    print_blanks(printer, printer->blanks);
    fwrite(printer->word, 1, printer->bytes, printer->out);
    printer->column += printer->characters;
    printer->begun |= printer->characters > 0;
    printer->bytes = 0;
    printer->characters = printer->blanks = 0;
}

static void end_line(struct printer *printer, char end, int width)
{
    print_word(printer, width);
    fputc(end, printer->out);
    printer->column = printer->blanks = printer->hang = 0;
    printer->begun = false;
}

static void add_byte(struct printer *printer, char byte, int width)
{
    bool begins = ((unsigned char)byte & 0xc0) != 0x80 && !printer->escape;
    bool full =
        begins && (printer->bytes >= WORD_BYTES - SEQUENCE_BYTES || printer->characters == width);
    if (full) // a word that is longer than a line
        print_word(printer, width);
    if (byte == '\033')
        printer->escape = true;
    else if (begins)
        printer->characters++;
    if (printer->bytes < WORD_BYTES)
        printer->word[printer->bytes++] = byte;
    if (printer->escape && byte != '\033' && byte != '[' && byte >= '@')
        printer->escape = false;
}

static void take_text(struct printer *printer, const char *bytes, size_t count, int width)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n' || bytes[i] == '\r') {
            end_line(printer, bytes[i], width);
        } else if (bytes[i] == ' ' && !printer->escape) {
            print_word(printer, width);
            printer->blanks++;
        } else {
            add_byte(printer, bytes[i], width);
        }
    }
    print_word(printer, width);
}

static void pass(struct printer *printer, const char *bytes, size_t count)
{
    int width = printer->fd == STDOUT_FILENO ? lines_width() : lines_message_width();
    if (width == LINES_ANY_WIDTH)
        fwrite(bytes, 1, count, printer->out);
    else
        take_text(printer, bytes, count, width);
}

// ---- what would act on a terminal --------------------------------------------------------------

// Messages are escaped before kov's own control sequences are put between them (message.c). JSON
// and CSV have values as they are, unless a person looks at them.
static bool escapes(const struct printer *printer)
{
    return printer->fd == STDOUT_FILENO && !as_they_are &&
           ((!settings.json && !settings.csv) || isatty(STDOUT_FILENO));
}

static bool is_plain(char byte)
{
    return (byte >= ' ' && byte <= '~') || byte == '\n' || byte == '\t';
}

// Returns whether what is held begins a character.
static bool may_go_on(const struct printer *printer)
{
    for (size_t i = 1; i < printer->part_bytes; i++)
        if ((printer->part[i] & 0xc0) != 0x80)
            return false;
    return utf8_announced((u8)printer->part[0]) > printer->part_bytes;
}

// Passes the characters that are held, or, of one whose end has not come, what is wrong with it.
static void pass_part(struct printer *printer, bool whole)
{
    while (printer->part_bytes > 0) {
        char escape[TEXT_ESCAPE_BYTES];
        printer->part[printer->part_bytes] = '\0';
        if (!whole && may_go_on(printer))
            return;
        size_t length = text_escape_next(printer->part, escape);
        if (escape[0] != '\0')
            pass(printer, escape, strlen(escape));
        else
            pass(printer, printer->part, length);
        printer->part_bytes -= length;
        memmove(printer->part, printer->part + length, printer->part_bytes);
    }
}

static void pass_escaped(struct printer *printer, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t plain = i;
        while (plain < count && is_plain(bytes[plain]))
            plain++;
        if (plain > i) {
            pass_part(printer, true);
            pass(printer, bytes + i, plain - i);
            i = plain;
        } else {
            printer->part[printer->part_bytes++] = bytes[i++];
            pass_part(printer, false);
        }
    }
}

static ssize_t take(void *cookie, const char *bytes, size_t count)
{
    struct printer *printer = cookie;
    if (escapes(printer))
        pass_escaped(printer, bytes, count);
    else
        pass(printer, bytes, count);
    return fflush(printer->out) == 0 ? (ssize_t)count : 0;
}

static FILE *break_lines_of(struct printer *printer, FILE *stream, int fd, int buffering)
{
    *printer = (struct printer){.out = stream, .fd = fd};
    FILE *broken = fopencookie(printer, "w", (cookie_io_functions_t){.write = take});
    if (broken == NULL)
        return stream;
    setvbuf(broken, NULL, buffering, 0);
    return broken;
}

void lines_begin(void)
{
    stdout = break_lines_of(&printers[0], stdout, STDOUT_FILENO,
                            isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    if (isatty(STDERR_FILENO))
        stderr = break_lines_of(&printers[1], stderr, STDERR_FILENO, _IONBF);
}

bool lines_as_they_are(bool on)
{
    bool before = as_they_are;
    fflush(stdout);
    as_they_are = on;
    return before;
}

void lines_clear_screen(void)
{
    struct printer *printer = &printers[0];
    fflush(stdout);
    if (!isatty(STDOUT_FILENO))
        return;
    fputs("\r\033[H\033[2J", printer->out != NULL ? printer->out : stdout);
    printer->column = printer->blanks = printer->hang = 0;
    printer->begun = false;
}
