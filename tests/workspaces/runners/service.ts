type Method = (...values: any[]) => unknown;

const calls = new Map<string, number>();

export function counted(label: string) {
  return (_target: object, _key: string, descriptor: PropertyDescriptor): PropertyDescriptor => {
    const method = descriptor.value as Method;
    descriptor.value = function (this: unknown, ...values: unknown[]) {
      calls.set(label, (calls.get(label) ?? 0) + 1);
      return method.apply(this, values);
    };
    return descriptor;
  };
}

export function frozen(target: Function): void {
  Object.freeze(target.prototype);
}

interface User {
  name: string;
  friends: string[];
}

class Repository {
  private readonly users: User[] = [];

  constructor(count: number) {
    for (let i = 0; i < count; i++) this.users.push({ name: `u${i}`, friends: [`u${(i * 7) % count}`, `u${(i * 3) % count}`] });
  }

  @counted("find")
  find(name: string): User | undefined {
    return this.users.find((user) => user.name === name);
  }

  get size(): number {
    return this.users.length;
  }
}

@frozen
export class Service {
  constructor(private readonly repository = new Repository(50)) {}

  @counted("reach")
  reach(name: string): number {
    const seen = new Set<string>();
    const visit = (at: string): void => {
      if (seen.has(at)) return;
      seen.add(at);
      this.repository.find(at)?.friends.forEach(visit);
    };
    visit(name);
    return seen.size;
  }

  get size(): number {
    return this.repository.size;
  }
}

export function service(): number {
  const it = new Service();
  let sum = 0;
  for (let i = 0; i < it.size; i += 7) sum += it.reach(`u${i}`);
  return sum;
}
