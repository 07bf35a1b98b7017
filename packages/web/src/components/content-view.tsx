/** The result of a tool, a resource or a prompt, shown by the type of its content. */
import { useState } from "react";
import { isJsonObject, isText, sanitize } from "@plugboard/contracts";
import type { AnyContent, ContentBlock, Json, JsonObject } from "@plugboard/contracts";
import { formatBytes } from "../format/format.ts";
import { withoutFrontmatter } from "../format/without-frontmatter.ts";
import { Button } from "./button.tsx";
import { JsonView } from "./json-view.tsx";
import { Markdown, WebLink } from "./markdown.tsx";
import { Badge } from "./layout.tsx";
import { saveFile } from "./save-file.ts";

const SHOWN_IMAGES = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/;
const SHOWN_AUDIO = /^audio\/[\w.+-]+$/;

/** A longer text or list keeps the browser busy for seconds. */
const SHOWN_CHARS = 200_000;
/** A longer text can only be saved. */
const MAX_DRAWN_CHARS = 10_000_000;
const SHOWN_BLOCKS = 100;

export function ContentList({ content }: { content: readonly ContentBlock[] }) {
  const [count, setCount] = useState(SHOWN_BLOCKS);
  const rest = content.length - count;
  return (
    <>
      {/* The blocks of one result never move. */}
      {content.slice(0, count).map((block, index) => (
        <ContentView key={index} block={block} />
      ))}
      {rest > 0 && (
        <div className="row-wrap">
          <span className="muted">{rest.toLocaleString("en")} more parts</span>
          <Button small onClick={() => setCount(count + SHOWN_BLOCKS)}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

export function ContentView({ block }: { block: AnyContent }) {
  if (isText(block)) return <TextView text={block.text} />;
  const data = block["data"];
  const mimeType = textOf(block["mimeType"]);
  if ((block.type === "image" || block.type === "audio") && typeof data === "string") {
    return <MediaView data={data} mimeType={mimeType} />;
  }
  if (block.type === "resource_link") {
    return (
      <div className="row-wrap">
        <Badge>resource link</Badge>
        <WebLink url={textOf(block["uri"])} />
        <span className="muted">{sanitize(textOf(block["name"]))}</span>
      </div>
    );
  }
  if (block.type === "resource" && isJsonObject(block["resource"]))
    return <ResourceView resource={block["resource"]} />;
  return <JsonView value={block} />;
}

/** The content of a resource: text, or bytes in base64. With `markdown`, text is first shown as Markdown. */
export function ResourceView({ resource, markdown = false }: { resource: JsonObject; markdown?: boolean }) {
  const { uri, mimeType, text, blob } = resource;
  return (
    <div className="stack-tight">
      <div className="row-wrap small">
        <Badge>resource</Badge>
        <code>{sanitize(textOf(uri))}</code>
        <span className="muted">{sanitize(textOf(mimeType))}</span>
      </div>
      {typeof text === "string" && <TextView text={text} markdown={markdown} />}
      {typeof blob === "string" && <MediaView data={blob} mimeType={textOf(mimeType)} />}
    </div>
  );
}

function MediaView({ data, mimeType }: { data: string; mimeType: string }) {
  const url = `data:${mimeType};base64,${data}`;
  if (SHOWN_IMAGES.test(mimeType)) return <img className="result-image" src={url} alt={`Image of type ${mimeType}`} />;
  if (SHOWN_AUDIO.test(mimeType)) return <audio controls src={url} />;
  return (
    <div className="row-wrap">
      <Badge>binary</Badge>
      <span className="muted">
        {sanitize(mimeType)} {formatBytes(Math.floor((data.length * 3) / 4))}
      </span>
    </div>
  );
}

/** A server may send any value where a text belongs. */
function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

type TextMode = "text" | "markdown" | "json";

/** Text is shown as it is, or with `markdown` as Markdown. The user can switch between both. JSON is shown as JSON. */
function TextView({ text, markdown = false }: { text: string; markdown?: boolean }) {
  const json = parseStructured(text);
  const modes: readonly TextMode[] = json === undefined ? ["text", "markdown"] : ["json", "text"];
  const [mode, setMode] = useState<TextMode>(markdown ? "markdown" : modes[0]!);
  const shown = modes.includes(mode) ? mode : modes[0]!;
  const [whole, setWhole] = useState(false);
  const isCut = shown !== "json" && !whole && text.length > SHOWN_CHARS;
  const part = isCut ? text.slice(0, SHOWN_CHARS) : text;
  return (
    <div className="stack-tight">
      <div className="code-block" tabIndex={0} role="group" aria-label="Text">
        {shown === "text" && <pre>{sanitize(part)}</pre>}
        {shown === "markdown" && <Markdown text={withoutFrontmatter(part)} />}
        {shown === "json" && json !== undefined && <JsonView value={json} />}
      </div>
      {isCut && (
        <div className="row-wrap">
          <span className="muted">
            The first {SHOWN_CHARS.toLocaleString("en")} of {text.length.toLocaleString("en")} characters
          </span>
          {text.length <= MAX_DRAWN_CHARS && (
            <Button small onClick={() => setWhole(true)}>
              Show all
            </Button>
          )}
          <Button
            small
            onClick={() => saveFile({ name: "result.txt", blob: new Blob([text], { type: "text/plain" }) })}
          >
            Save
          </Button>
        </div>
      )}
      <div className="row">
        {modes.map((one) => (
          <Button key={one} kind="quiet" small aria-pressed={one === shown} onClick={() => setMode(one)}>
            {MODE_LABELS[one]}
          </Button>
        ))}
      </div>
    </div>
  );
}

const MODE_LABELS = { text: "As text", markdown: "As Markdown", json: "As JSON" };
const MAX_PARSED_CHARS = 1_000_000;

/** Returns undefined unless the text is a JSON object or list. */
function parseStructured(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > MAX_PARSED_CHARS) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
