type Props = Record<string, unknown>;
type Child = string | number | Node | Child[];

interface Node {
  tag: string | ((props: any) => Child);
  props: Props;
  children: Child[];
}

declare global {
  namespace JSX {
    type Element = Node;
    type ElementType = string | ((props: any) => unknown);
    interface IntrinsicElements {
      [tag: string]: any;
    }
  }
}

export const h = (tag: Node["tag"], props: Props | null, ...children: Child[]): Node => ({ tag, props: props ?? {}, children });

const escape = (text: string): string => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);

function render(child: Child): string {
  if (Array.isArray(child)) return child.map(render).join("");
  if (typeof child !== "object") return escape(String(child));
  const { tag, props, children } = child;
  if (typeof tag === "function") return render(tag({ ...props, children }));
  const attributes = Object.entries(props).map(([name, value]) => ` ${name}="${escape(String(value))}"`);
  return `<${tag}${attributes.join("")}>${render(children)}</${tag}>`;
}

const Row = ({ cells, odd }: { cells: string[]; odd: boolean }) => (
  <tr class={odd ? "odd" : "even"}>
    {cells.map((cell) => <td>{cell}</td>)}
  </tr>
);

function Table({ rows }: { rows: string[][] }): Node {
  return (
    <table data-rows={rows.length}>
      <tbody>{rows.map((cells, i) => <Row cells={cells} odd={i % 2 === 1} />)}</tbody>
    </table>
  );
}

export default ({ title, children }: { title: string; children?: Child[] }) => (
  <section>
    <h1>{title}</h1>
    {children ?? []}
  </section>
);

export function page(): number {
  const rows = Array.from({ length: 20 }, (_, r) => Array.from({ length: 4 }, (_, c) => `${r} < ${c} & more`));
  return render(<main><Table rows={rows} /></main>).length;
}
