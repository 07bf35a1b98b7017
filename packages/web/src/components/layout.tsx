/** Small parts that give every view the same look. */
import { useId } from "react";
import type { ReactNode } from "react";

export type Tone = "neutral" | "ok" | "warn" | "danger" | "info";

export function Badge({
  tone = "neutral",
  dot = false,
  children,
}: {
  tone?: Tone;
  dot?: boolean;
  children: ReactNode;
}) {
  return (
    <span className={`badge badge-${tone}`}>
      {dot && <span className={`dot dot-${tone}`} aria-hidden="true" />}
      {children}
    </span>
  );
}

export function View({ title, actions, children }: { title: ReactNode; actions?: ReactNode; children: ReactNode }) {
  return (
    <div className="view">
      <header className="view-head">
        <h1 tabIndex={-1}>{title}</h1>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface CardProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  /** Lets a table reach the border. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

export function Card({ title, actions, flush = false, children }: CardProps) {
  const id = useId();
  if (title === undefined) return <div className="card card-body">{children}</div>;
  return (
    <section className={flush ? "card card-flush" : "card"} aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id} className="grow">
          {title}
        </h2>
        {actions}
      </div>
      <div className={flush ? undefined : "card-body stack"}>{children}</div>
    </section>
  );
}

export function Notice({ tone = "info", children }: { tone?: "info" | "warn" | "danger" | "ok"; children: ReactNode }) {
  return (
    <div className={`notice notice-${tone}`} role={tone === "danger" ? "alert" : undefined}>
      {children}
    </div>
  );
}

export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function FactList({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

export function Stat({ name, value, tone = "neutral" }: { name: string; value: string; tone?: Tone }) {
  return (
    <div className="card stat">
      <div className="small muted">{name}</div>
      <div className={tone === "danger" ? "stat-value danger-text" : "stat-value"}>{value}</div>
    </div>
  );
}
