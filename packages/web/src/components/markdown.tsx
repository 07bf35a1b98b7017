/** Markdown of servers and models, as elements. Never as HTML. */
import { useMemo } from "react";
import { sanitize } from "@plugboard/contracts";
import { isWebUrl, parseMarkdown } from "../format/markdown.ts";
import type { Block, Inline } from "../format/markdown.ts";

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(sanitize(text)), [text]);
  return (
    <div className="markdown">
      <Blocks blocks={blocks} />
    </div>
  );
}

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  // The blocks of one text never move.
  return blocks.map((block, index) => <BlockView key={index} block={block} />);
}

function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case "heading":
      return (
        <h3>
          <Inlines parts={block.children} />
        </h3>
      );
    case "paragraph":
      return (
        <p>
          <Inlines parts={block.children} />
        </p>
      );
    case "code":
      return (
        <pre className="code-block" tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.children} />
        </blockquote>
      );
    case "list": {
      const items = block.items.map((item, index) => (
        <li key={index}>
          <Inlines parts={item} />
        </li>
      ));
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
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
                        <Inlines parts={cell} />
                      </th>
                    ) : (
                      <td key={column}>
                        <Inlines parts={cell} />
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

function Inlines({ parts }: { parts: readonly Inline[] }) {
  return parts.map((part, index) => <InlineView key={index} part={part} />);
}

function InlineView({ part }: { part: Inline }) {
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
    case "image":
      // Loading the image would tell its server what the page shows.
      return (
        <span className="muted">
          [image{part.text === "" ? "" : `: ${part.text}`}, not loaded: <code>{part.url}</code>]
        </span>
      );
  }
}

/** A link that opens in a new tab, which learns nothing about this page. Other schemes are shown as text. */
export function WebLink({ url, children }: { url: string; children?: React.ReactNode }) {
  if (!isWebUrl(url)) return <code>{sanitize(url)}</code>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children ?? sanitize(url)}
    </a>
  );
}
