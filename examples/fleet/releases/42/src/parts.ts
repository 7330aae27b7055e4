// All parts of the shop, for the console and for the tests of the people who work on it.

import * as appCheckout from "./app/checkout";
import * as appEvents from "./app/events";
import * as appRouter from "./app/router";
import * as brandModel from "./brand/model";
import * as brandRules from "./brand/rules";
import * as brandStore from "./brand/store";
import * as brandView from "./brand/view";
import * as categoryModel from "./category/model";
import * as categoryRules from "./category/rules";
import * as categoryStore from "./category/store";
import * as categoryView from "./category/view";
import * as couponModel from "./coupon/model";
import * as couponRules from "./coupon/rules";
import * as couponStore from "./coupon/store";
import * as couponView from "./coupon/view";
import * as customerModel from "./customer/model";
import * as customerRules from "./customer/rules";
import * as customerStore from "./customer/store";
import * as customerView from "./customer/view";
import * as dataSamples from "./data/samples";
import * as dataWords from "./data/words";
import * as formatDates from "./format/dates";
import * as formatMoney from "./format/money";
import * as formatNumbers from "./format/numbers";
import * as i18nLanguage from "./i18n/language";
import * as i18nPlural from "./i18n/plural";
import * as i18nTranslate from "./i18n/translate";
import * as invoiceModel from "./invoice/model";
import * as invoiceRules from "./invoice/rules";
import * as invoiceStore from "./invoice/store";
import * as invoiceView from "./invoice/view";
import * as lineModel from "./line/model";
import * as lineRules from "./line/rules";
import * as lineStore from "./line/store";
import * as lineView from "./line/view";
import * as orderModel from "./order/model";
import * as orderRules from "./order/rules";
import * as orderStore from "./order/store";
import * as orderView from "./order/view";
import * as pagesAccount from "./pages/account";
import * as pagesAddresses from "./pages/addresses";
import * as pagesBrands from "./pages/brands";
import * as pagesCart from "./pages/cart";
import * as pagesCategory from "./pages/category";
import * as pagesCheckout from "./pages/checkout";
import * as pagesConfirmation from "./pages/confirmation";
import * as pagesHelp from "./pages/help";
import * as pagesHome from "./pages/home";
import * as pagesImprint from "./pages/imprint";
import * as pagesIndex from "./pages/index";
import * as pagesOffers from "./pages/offers";
import * as pagesOrder from "./pages/order";
import * as pagesOrders from "./pages/orders";
import * as pagesPayment from "./pages/payment";
import * as pagesProduct from "./pages/product";
import * as pagesReturns from "./pages/returns";
import * as pagesReviews from "./pages/reviews";
import * as pagesSearch from "./pages/search";
import * as pagesStores from "./pages/stores";
import * as pagesWishlist from "./pages/wishlist";
import * as paymentModel from "./payment/model";
import * as paymentRules from "./payment/rules";
import * as paymentStore from "./payment/store";
import * as paymentView from "./payment/view";
import * as pricingDiscount from "./pricing/discount";
import * as pricingShipping from "./pricing/shipping";
import * as pricingTax from "./pricing/tax";
import * as productModel from "./product/model";
import * as productRules from "./product/rules";
import * as productStore from "./product/store";
import * as productView from "./product/view";
import * as reviewModel from "./review/model";
import * as reviewRules from "./review/rules";
import * as reviewStore from "./review/store";
import * as reviewView from "./review/view";
import * as searchIndex from "./search/index";
import * as searchRank from "./search/rank";
import * as searchSuggest from "./search/suggest";
import * as searchTokenize from "./search/tokenize";
import * as shipmentModel from "./shipment/model";
import * as shipmentRules from "./shipment/rules";
import * as shipmentStore from "./shipment/store";
import * as shipmentView from "./shipment/view";
import * as stockModel from "./stock/model";
import * as stockRules from "./stock/rules";
import * as stockStore from "./stock/store";
import * as stockView from "./stock/view";
import * as utilHtml from "./util/html";
import * as utilList from "./util/list";
import * as utilRandom from "./util/random";
import * as utilText from "./util/text";
import * as wishModel from "./wish/model";
import * as wishRules from "./wish/rules";
import * as wishStore from "./wish/store";
import * as wishView from "./wish/view";

export const parts = {
  appCheckout,
  appEvents,
  appRouter,
  brandModel,
  brandRules,
  brandStore,
  brandView,
  categoryModel,
  categoryRules,
  categoryStore,
  categoryView,
  couponModel,
  couponRules,
  couponStore,
  couponView,
  customerModel,
  customerRules,
  customerStore,
  customerView,
  dataSamples,
  dataWords,
  formatDates,
  formatMoney,
  formatNumbers,
  i18nLanguage,
  i18nPlural,
  i18nTranslate,
  invoiceModel,
  invoiceRules,
  invoiceStore,
  invoiceView,
  lineModel,
  lineRules,
  lineStore,
  lineView,
  orderModel,
  orderRules,
  orderStore,
  orderView,
  pagesAccount,
  pagesAddresses,
  pagesBrands,
  pagesCart,
  pagesCategory,
  pagesCheckout,
  pagesConfirmation,
  pagesHelp,
  pagesHome,
  pagesImprint,
  pagesIndex,
  pagesOffers,
  pagesOrder,
  pagesOrders,
  pagesPayment,
  pagesProduct,
  pagesReturns,
  pagesReviews,
  pagesSearch,
  pagesStores,
  pagesWishlist,
  paymentModel,
  paymentRules,
  paymentStore,
  paymentView,
  pricingDiscount,
  pricingShipping,
  pricingTax,
  productModel,
  productRules,
  productStore,
  productView,
  reviewModel,
  reviewRules,
  reviewStore,
  reviewView,
  searchIndex,
  searchRank,
  searchSuggest,
  searchTokenize,
  shipmentModel,
  shipmentRules,
  shipmentStore,
  shipmentView,
  stockModel,
  stockRules,
  stockStore,
  stockView,
  utilHtml,
  utilList,
  utilRandom,
  utilText,
  wishModel,
  wishRules,
  wishStore,
  wishView,
};
