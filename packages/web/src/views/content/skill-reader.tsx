/**
 * One skill: what its server says about it, the list of its files, and the content of one file. All of it is untrusted.
 */
import { useState } from "react";
import { sanitize, sanitizeLine, skillFilePath, skillFileProblem } from "@plugboard/contracts";
import type { Skill, SkillFileState } from "@plugboard/contracts";
import { Button } from "../../components/button.tsx";
import { ResourceView } from "../../components/content-view.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { Badge, Card, Notice } from "../../components/layout.tsx";
import type { Tone } from "../../components/layout.tsx";
import { formatBytes } from "../../format/format.ts";
import { useLoad } from "../../hooks/use-load.ts";

type FileStates = { readonly [uri: string]: SkillFileState };

const STATE_LABELS: { readonly [state in SkillFileState]: readonly [Tone, string] } = {
  verified: ["ok", "matches its digest"],
  digest_mismatch: ["danger", "does not match its digest"],
  frontmatter_mismatch: ["danger", "does not match the list"],
  unlisted: ["warn", "not listed"],
  no_digest: ["neutral", "no digest"],
};

export function SkillReader({ server, uri }: { server: string; uri: string }) {
  const skill = useLoad(({ workspace }) => workspace.skills.get(server, uri), [server, uri]);
  const [file, setFile] = useState(uri);
  const [states, setStates] = useState<FileStates>({});
  const contents = useLoad(
    async ({ workspace }) => {
      const read = await workspace.skills.read(server, uri, file);
      setStates((old) => ({ ...old, [file]: read.state }));
      return read;
    },
    [server, uri, file],
  );
  const reload = () => {
    setStates({});
    skill.reload();
    contents.reload();
  };
  const shown = contents.data?.uri === file ? contents.data : undefined;
  const problem = shown && skillFileProblem(shown.state);
  const isDanger = shown !== undefined && STATE_LABELS[shown.state][0] === "danger";
  return (
    <div className="stack">
      <Card
        title={`${sanitizeLine(skill.data?.name ?? uri)} · ${sanitizeLine(server)}`}
        actions={
          <Button small onClick={reload}>
            Read again
          </Button>
        }
      >
        {skill.error !== undefined && <Notice tone="danger">{sanitize(skill.error)}</Notice>}
        {skill.data && <SkillFacts skill={skill.data} />}
        {skill.data && <SkillFiles skill={skill.data} shown={file} states={states} onShow={setFile} />}
      </Card>
      <Card title={<code>{sanitizeLine(skillFilePath(uri, file))}</code>}>
        {contents.loading && !shown && <p className="muted">Reading…</p>}
        {contents.error !== undefined && <Notice tone="danger">{sanitize(contents.error)}</Notice>}
        {problem !== undefined && <Notice tone={isDanger ? "danger" : "warn"}>{problem}</Notice>}
        {shown?.contents.map((content, index) => (
          <ResourceView key={`${file} ${index}`} resource={content} markdown={/\.md$/i.test(file)} />
        ))}
      </Card>
    </div>
  );
}

function SkillFacts({ skill: { uri, description, frontmatter } }: { skill: Skill }) {
  const { name: _name, description: _description, ...others } = frontmatter;
  return (
    <>
      <code className="small muted">{sanitizeLine(uri)}</code>
      {description !== undefined && <p>{sanitize(description)}</p>}
      {Object.keys(others).length > 0 && (
        <div className="stack-tight">
          <span className="small muted">Other fields of the frontmatter</span>
          <JsonView value={others} />
        </div>
      )}
      <p className="small muted">
        This text comes from the server. Nothing in it runs, and it gives no permissions. A matching digest says that
        the file is the one the server lists, not that it is harmless.
      </p>
    </>
  );
}

interface SkillFilesProps {
  readonly skill: Skill;
  readonly shown: string;
  readonly states: FileStates;
  readonly onShow: (uri: string) => void;
}

function SkillFiles({ skill: { uri, files }, shown, states, onShow }: SkillFilesProps) {
  if (files === "dynamic")
    return <p className="small muted">The server generates the files of this skill, and lists no digests.</p>;
  return (
    <ul className="file-list" aria-label="Files">
      {files.map((file) => (
        <li key={file.uri} className="row-wrap">
          <Button kind="quiet" small aria-pressed={file.uri === shown} onClick={() => onShow(file.uri)}>
            <code>{sanitizeLine(skillFilePath(uri, file.uri))}</code>
          </Button>
          {file.size !== undefined && <span className="small muted">{formatBytes(file.size)}</span>}
          <FileState state={states[file.uri]} />
        </li>
      ))}
    </ul>
  );
}

function FileState({ state }: { state: SkillFileState | undefined }) {
  if (state === undefined) return <span className="small muted">not read yet</span>;
  const [tone, label] = STATE_LABELS[state];
  return <Badge tone={tone}>{label}</Badge>;
}
