"""tables.py -- prints times, Markdown tables and wrapped paragraphs, for the scripts of pages."""
import textwrap


def show(us):
    return "%.1f us" % us if us < 100 else "%.0f us" % us if us < 1e4 else "%.1f ms" % (us / 1e3)


def show_interval(ends):
    return "%s to %s" % tuple(map(show, ends))


def row(*cells):
    print("| %s |" % " | ".join(map(str, cells)))


def head(*cells):
    row(*cells)
    print("|" + "---|" * len(cells))


def say(text):
    """Print paragraphs, headings and items of lists, wrapped; a blank line follows each but the
    items before the last."""
    blocks = [" ".join(block.split()) for block in text.split("\n\n") if block.strip()]
    for block, after in zip(blocks, blocks[1:] + [""]):
        item = block.startswith("- ")
        print(textwrap.fill(block, 120, subsequent_indent="  " if item else "",
                            break_long_words=False, break_on_hyphens=False))
        if not (item and after.startswith("- ")):
            print()
