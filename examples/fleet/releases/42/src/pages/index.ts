// All pages by their paths.

import { renderAccountPage } from "./account";
import { renderAddressesPage } from "./addresses";
import { renderBrandsPage } from "./brands";
import { renderCartPage } from "./cart";
import { renderCategoryPage } from "./category";
import { renderCheckoutPage } from "./checkout";
import { renderConfirmationPage } from "./confirmation";
import { renderHelpPage } from "./help";
import { renderHomePage } from "./home";
import { renderImprintPage } from "./imprint";
import { renderOffersPage } from "./offers";
import { renderOrderPage } from "./order";
import { renderOrdersPage } from "./orders";
import { renderPaymentPage } from "./payment";
import { renderProductPage } from "./product";
import { renderReturnsPage } from "./returns";
import { renderReviewsPage } from "./reviews";
import { renderSearchPage } from "./search";
import { renderStoresPage } from "./stores";
import { renderWishlistPage } from "./wishlist";

export type Page = (count: number) => string;

export const pages: Record<string, Page> = {
  "/": renderHomePage,
  "/category": renderCategoryPage,
  "/product": renderProductPage,
  "/search": renderSearchPage,
  "/cart": renderCartPage,
  "/checkout": renderCheckoutPage,
  "/payment": renderPaymentPage,
  "/confirmation": renderConfirmationPage,
  "/orders": renderOrdersPage,
  "/order": renderOrderPage,
  "/account": renderAccountPage,
  "/addresses": renderAddressesPage,
  "/wishlist": renderWishlistPage,
  "/reviews": renderReviewsPage,
  "/brands": renderBrandsPage,
  "/offers": renderOffersPage,
  "/stores": renderStoresPage,
  "/returns": renderReturnsPage,
  "/help": renderHelpPage,
  "/imprint": renderImprintPage,
};
