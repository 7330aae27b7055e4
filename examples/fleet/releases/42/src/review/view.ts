// Reviews as people see them.

import { formatDate } from "../format/dates";
import { formatCents } from "../format/money";
import { formatCount } from "../format/numbers";
import { translate } from "../i18n/translate";
import { escapeHtml, joinClasses } from "../util/html";
import type { Review } from "./model";
import { totalRefund, validateReview } from "./rules";

export function reviewTitle(review: Review): string {
  return escapeHtml(review.headline || translate("review.untitled"));
}

export function reviewRefundCell(review: Review): string {
  return `<td class="money">${formatCents(review.refund)}</td>`;
}

export function reviewStarsCell(review: Review): string {
  return `<td class="count">${formatCount(review.stars)}</td>`;
}

export function reviewClasses(review: Review): string {
  return joinClasses(["review", review.verified && "verified", review.stars === 0 && "none"]);
}

export function renderReviewRow(review: Review): string {
  const cells = reviewRefundCell(review) + reviewStarsCell(review);
  return `<tr class="${reviewClasses(review)}"><th>${reviewTitle(review)}</th>${cells}<td>${formatDate(review.writtenAt)}</td></tr>`;
}

export function renderReviewProblems(review: Review, now: number): string {
  const problems = validateReview(review, now);
  return problems.map((it) => `<li>${escapeHtml(it)}</li>`).join("");
}

export function renderReviews(reviews: readonly Review[]): string {
  if (reviews.length === 0) return renderReviewsEmpty();
  let rows = "";
  for (const review of reviews) rows += renderReviewRow(review);
  return `<table>${rows}</table>${renderReviewsFooter(reviews)}`;
}

export function renderReviewsFooter(reviews: readonly Review[]): string {
  const count = translate("review.count", { count: reviews.length });
  return `<footer>${count} · ${formatCents(totalRefund(reviews))}</footer>`;
}

function renderReviewsEmpty(): string {
  return `<p class="empty">${translate("review.empty")}</p>`;
}
