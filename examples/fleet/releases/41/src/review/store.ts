// All reviews that the page knows.

import { removeAt } from "../util/list";
import { copyReview, mergeReview, type Review } from "./model";
import { compareReview } from "./rules";

type Listener = (changed: readonly Review[]) => void;

export class ReviewStore {
  private readonly byId = new Map<string, Review>();
  private readonly listeners: Listener[] = [];
  private sorted: Review[] | undefined;

  constructor(known: readonly Review[] = []) {
    for (const review of known) this.byId.set(review.id, review);
  }

  get size(): number {
    return this.byId.size;
  }

  findReview(id: string): Review | undefined {
    return this.byId.get(id);
  }

  putReview(review: Review): void {
    const known = this.byId.get(review.id);
    this.byId.set(review.id, known ? mergeReview(known, review) : review);
    this.sorted = undefined;
    this.notifyReviews([review]);
  }

  removeReview(id: string): boolean {
    const known = this.byId.get(id);
    if (!known) return false;
    this.byId.delete(id);
    this.sorted = undefined;
    this.notifyReviews([known]);
    return true;
  }

  sortedReviews(): readonly Review[] {
    this.sorted ??= [...this.byId.values()].sort(compareReview);
    return this.sorted;
  }

  pageReviews(number: number, size = 24): readonly Review[] {
    return this.sortedReviews().slice(number * size, (number + 1) * size);
  }

  selectReviews(wanted: (review: Review) => boolean): Review[] {
    const found: Review[] = [];
    for (const review of this.byId.values()) {
      if (wanted(review)) found.push(review);
    }
    return found;
  }

  watchReviews(listener: Listener): () => void {
    this.listeners.push(listener);
    return () => removeAt(this.listeners, this.listeners.indexOf(listener));
  }

  snapshotReviews(): Review[] {
    return this.sortedReviews().map(copyReview);
  }

  private notifyReviews(changed: readonly Review[]): void {
    for (const listener of this.listeners) listener(changed);
  }
}
