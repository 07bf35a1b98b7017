/** Shows Markdown of servers and models as React elements, never as HTML of theirs. */
import { useMemo } from "react";
import { sanitize } from "@plugboard/contracts";
import { isWebUrl, parseInline, splitBlocks } from "@plugboard/contracts/markdown";
import type { MarkdownBlock, MarkdownInline } from "@plugboard/contracts/markdown";
import { groupLists } from "../format/markdown-lists.ts";
import type { MarkdownList } from "../format/markdown-lists.ts";

export function Markdown({ text }: { text: string }) {
  const clean = useMemo(() => sanitize(text), [text]);
  return (
    <div className="markdown">
      <Blocks text={clean} depth={0} />
    </div>
  );
}

/** Quotes within quotes are shown up to this depth. Deeper ones stay text. */
const MAX_QUOTE_DEPTH = 5;

function Blocks({ text, depth }: { text: string; depth: number }) {
  const blocks = useMemo(() => groupLists(splitBlocks(text)), [text]);
  // The blocks of one text never move.
  return blocks.map((block, index) =>
    block.type === "list" ? (
      <ListView key={index} list={block} />
    ) : (
      <BlockView key={index} block={block} depth={depth} />
    ),
  );
}

function BlockView({ block, depth }: { block: Exclude<MarkdownBlock, { type: "item" }>; depth: number }) {
  switch (block.type) {
    case "heading":
      return (
        <h3>
          <InlineText text={block.text} />
        </h3>
      );
    case "paragraph":
      return (
        <p>
          <InlineText text={block.text} />
        </p>
      );
    case "code":
      return (
        <pre className="code-block" tabIndex={0}>
          <code>{block.lines.join("\n")}</code>
        </pre>
      );
    case "quote":
      return (
        <blockquote>
          {depth < MAX_QUOTE_DEPTH ? <Blocks text={block.text} depth={depth + 1} /> : <p>{block.text}</p>}
        </blockquote>
      );
    case "table":
      return (
        <div className="table-scroll">
          <table>
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) =>
                    index === 0 ? (
                      <th key={column}>
                        <InlineText text={cell} />
                      </th>
                    ) : (
                      <td key={column}>
                        <InlineText text={cell} />
                      </td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case "rule":
      return <hr />;
  }
}

function ListView({ list: { start, items } }: { list: MarkdownList }) {
  const shown = items.map(({ text, checked, lists }, index) => (
    <li key={index}>
      {checked !== undefined && (checked ? "☑ " : "☐ ")}
      <InlineText text={text} />
      {lists.map((inner, place) => (
        <ListView key={place} list={inner} />
      ))}
    </li>
  ));
  return start === undefined ? <ul>{shown}</ul> : <ol start={start}>{shown}</ol>;
}

function InlineText({ text }: { text: string }) {
  return <Inlines parts={useMemo(() => parseInline(text), [text])} />;
}

function Inlines({ parts }: { parts: readonly MarkdownInline[] }) {
  return parts.map((part, index) => <InlineView key={index} part={part} />);
}

function InlineView({ part }: { part: MarkdownInline }) {
  switch (part.type) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "strong":
      return (
        <strong>
          <Inlines parts={part.children} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Inlines parts={part.children} />
        </em>
      );
    case "link":
      return (
        <WebLink url={part.url}>
          <Inlines parts={part.children} />
        </WebLink>
      );
    case "reference":
      return (
        <>
          <Inlines parts={part.children} /> (<code>{part.target}</code>)
        </>
      );
    case "image":
      // Loading the image would tell its server what the page shows.
      return (
        <span className="muted">
          [image{part.text === "" ? "" : `: ${part.text}`}, not loaded: <code>{part.url}</code>]
        </span>
      );
  }
}

/** A link to a web page, which opens in a new tab and learns nothing about this page. Other URLs are shown as text. */
export function WebLink({ url, children }: { url: string; children?: React.ReactNode }) {
  if (!isWebUrl(url)) return <code>{sanitize(url)}</code>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children ?? sanitize(url)}
    </a>
  );
}
