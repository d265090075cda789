-- The tables of the food delivery app. Money is integer cents, moments are seconds as in world_clock, hours of the day
-- are minutes. Columns that no tool shows are called hidden. The views below have what tools show, in its form.

CREATE TABLE street (                        -- hidden: the delivery city
  street_name TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
  postcode TEXT NOT NULL,
  x INTEGER NOT NULL,                        -- metres east of the centre, at house number 0
  y INTEGER NOT NULL,                        -- metres north of the centre
  step_x INTEGER NOT NULL,                   -- metres from one house number to the next
  step_y INTEGER NOT NULL,
  last_number INTEGER NOT NULL,
  flats_from INTEGER NOT NULL                -- from this house number on the houses are blocks of flats
);

CREATE TABLE restaurant (
  restaurant_id TEXT NOT NULL PRIMARY KEY,   -- @id
  name TEXT NOT NULL,
  street TEXT NOT NULL REFERENCES street (street_name),
  x INTEGER NOT NULL,                        -- hidden
  y INTEGER NOT NULL,                        -- hidden
  cuisine TEXT NOT NULL,
  stars INTEGER NOT NULL,                    -- hidden: sum of all ratings
  ratings INTEGER NOT NULL,                  -- hidden: number of ratings
  open_from INTEGER NOT NULL,
  open_until INTEGER NOT NULL,
  minimum_cents INTEGER NOT NULL,
  fee_cents INTEGER NOT NULL,
  radius INTEGER NOT NULL,                   -- hidden: metres
  prep_minutes INTEGER NOT NULL,
  accepts_cash INTEGER NOT NULL,
  searched TEXT NOT NULL,                    -- @free hidden: its name and those of its dishes, case folded
  UNIQUE (name, street)
);
CREATE INDEX restaurant_by_street ON restaurant (street);

CREATE TABLE dish (
  dish_id TEXT NOT NULL PRIMARY KEY,         -- @id
  restaurant_id TEXT NOT NULL REFERENCES restaurant (restaurant_id),
  position INTEGER NOT NULL,                 -- hidden: place in the menu
  section TEXT NOT NULL,
  name TEXT NOT NULL,
  price_cents INTEGER NOT NULL,
  diet TEXT NOT NULL,
  allergens TEXT NOT NULL,                   -- JSON array
  sold_out INTEGER NOT NULL,
  UNIQUE (restaurant_id, name)
);

CREATE TABLE option_group (
  dish_id TEXT NOT NULL REFERENCES dish (dish_id),
  position INTEGER NOT NULL,
  group_name TEXT NOT NULL,
  least INTEGER NOT NULL,
  most INTEGER NOT NULL,
  PRIMARY KEY (dish_id, position)
);

CREATE TABLE dish_option (
  option_id TEXT NOT NULL PRIMARY KEY,       -- @id
  dish_id TEXT NOT NULL REFERENCES dish (dish_id),
  group_position INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  extra_cents INTEGER NOT NULL,
  sold_out INTEGER NOT NULL,
  UNIQUE (dish_id, name),
  FOREIGN KEY (dish_id, group_position) REFERENCES option_group (dish_id, position)
);

CREATE TABLE account (                       -- one row: the user of the app
  account_id INTEGER NOT NULL PRIMARY KEY,   -- @id
  wallet_cents INTEGER NOT NULL CHECK (wallet_cents >= 0),
  opening_cents INTEGER NOT NULL             -- hidden: in the wallet before the first order
);

CREATE TABLE promo (
  code TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
  percent INTEGER NOT NULL,                  -- percent off, 0 for an amount
  off_cents INTEGER NOT NULL,                -- amount off, 0 for percent
  minimum_cents INTEGER NOT NULL,
  valid_from TEXT NOT NULL,                  -- day
  valid_until TEXT NOT NULL,                 -- day, included
  restaurant_id TEXT REFERENCES restaurant (restaurant_id),
  first_order INTEGER NOT NULL               -- only for the first order at a restaurant
);
CREATE INDEX promo_by_restaurant ON promo (restaurant_id);

CREATE TABLE dropoff_address (
  dropoff_address_id TEXT NOT NULL PRIMARY KEY,  -- @id
  label TEXT NOT NULL UNIQUE COLLATE NOCASE,
  street TEXT NOT NULL,                      -- with house number
  unit TEXT,
  postcode TEXT NOT NULL,
  instructions TEXT,                         -- @free
  is_flat INTEGER NOT NULL,                  -- hidden
  x INTEGER NOT NULL,                        -- hidden
  y INTEGER NOT NULL                         -- hidden
);

CREATE TABLE basket (
  basket_id TEXT NOT NULL PRIMARY KEY,       -- @id
  restaurant_id TEXT NOT NULL REFERENCES restaurant (restaurant_id),
  state TEXT NOT NULL CHECK (state IN ('open', 'emptied', 'ordered')),
  promo_code TEXT REFERENCES promo (code),
  updated_at INTEGER NOT NULL                -- @clock
);
CREATE UNIQUE INDEX open_basket_by_restaurant ON basket (restaurant_id) WHERE state = 'open';
CREATE INDEX basket_by_restaurant ON basket (restaurant_id);
CREATE INDEX basket_by_promo ON basket (promo_code);

CREATE TABLE basket_line (
  basket_line_id TEXT NOT NULL PRIMARY KEY,  -- @id
  basket_id TEXT NOT NULL REFERENCES basket (basket_id) ON DELETE CASCADE,
  dish_id TEXT NOT NULL REFERENCES dish (dish_id),
  option_ids TEXT NOT NULL,                  -- JSON array, sorted
  quantity INTEGER NOT NULL,
  unit_cents INTEGER NOT NULL,               -- dish and options
  note TEXT,                                 -- @free
  removed INTEGER NOT NULL DEFAULT 0         -- hidden: lines of quantity 0 stay, marked
);
CREATE INDEX basket_line_by_basket ON basket_line (basket_id);
CREATE INDEX basket_line_by_dish ON basket_line (dish_id);

CREATE TABLE courier (                       -- hidden until they ride
  courier_id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL
);

CREATE TABLE food_order (
  order_id TEXT NOT NULL PRIMARY KEY,        -- @id
  restaurant_id TEXT NOT NULL REFERENCES restaurant (restaurant_id),
  dropoff_address_id TEXT NOT NULL REFERENCES dropoff_address (dropoff_address_id),
  courier_id INTEGER NOT NULL REFERENCES courier (courier_id),  -- @counter whoever rides least
  pay_with TEXT NOT NULL,
  items_cents INTEGER NOT NULL,
  fee_cents INTEGER NOT NULL,
  discount_cents INTEGER NOT NULL,
  tip_cents INTEGER NOT NULL,
  promo_code TEXT REFERENCES promo (code),
  metres INTEGER NOT NULL,                   -- hidden: length of the ride
  deliver_at INTEGER,                        -- the moment that the user asked for
  courier_note TEXT,                         -- @free
  placed_at INTEGER NOT NULL,                -- @clock
  confirmed_at INTEGER NOT NULL,             -- @clock hidden, like the next two: when the stage begins
  preparing_at INTEGER NOT NULL,             -- @clock
  riding_at INTEGER NOT NULL,                -- @clock
  promised_at INTEGER NOT NULL,              -- @clock
  delivered_at INTEGER NOT NULL,             -- @clock
  cancelled INTEGER NOT NULL DEFAULT 0,
  cancelled_at INTEGER,                      -- @clock
  cancel_fee_cents INTEGER,                  -- hidden
  searched TEXT NOT NULL,                    -- @free hidden: the names of the restaurant and the dishes, case folded
  CHECK (discount_cents BETWEEN 0 AND items_cents),
  CHECK (tip_cents BETWEEN 0 AND 5000),
  CHECK (pay_with <> 'cash' OR items_cents + fee_cents + tip_cents - discount_cents <= 6000)
);
CREATE INDEX food_order_by_restaurant ON food_order (restaurant_id);
CREATE INDEX food_order_by_address ON food_order (dropoff_address_id);
CREATE INDEX food_order_by_courier ON food_order (courier_id);
CREATE INDEX food_order_by_promo ON food_order (promo_code);
CREATE INDEX food_order_by_time ON food_order (placed_at);

CREATE TABLE food_order_line (
  order_id TEXT NOT NULL REFERENCES food_order (order_id),
  position INTEGER NOT NULL,                 -- @counter
  dish_id TEXT NOT NULL REFERENCES dish (dish_id),
  option_ids TEXT NOT NULL,                  -- JSON array, sorted
  quantity INTEGER NOT NULL,
  unit_cents INTEGER NOT NULL,
  PRIMARY KEY (order_id, position)
);
CREATE INDEX food_order_line_by_dish ON food_order_line (dish_id);

CREATE TABLE order_rating (
  order_id TEXT NOT NULL PRIMARY KEY REFERENCES food_order (order_id),
  restaurant_stars INTEGER NOT NULL,
  courier_stars INTEGER,
  comment TEXT                               -- @free
);

CREATE TABLE problem_case (
  case_id TEXT NOT NULL PRIMARY KEY,         -- @id
  order_id TEXT NOT NULL UNIQUE REFERENCES food_order (order_id),
  problem TEXT NOT NULL,
  details TEXT,                              -- @free
  compensation_cents INTEGER NOT NULL,
  reported_at INTEGER NOT NULL               -- @clock
);

CREATE TABLE problem_dish (
  case_id TEXT NOT NULL REFERENCES problem_case (case_id),
  dish_id TEXT NOT NULL REFERENCES dish (dish_id),
  PRIMARY KEY (case_id, dish_id)
);
CREATE INDEX problem_dish_by_dish ON problem_dish (dish_id);

-- What tools read.

CREATE VIEW restaurant_now AS
SELECT restaurant_id, name, street, x, y, cuisine,
  (20 * stars + ratings) / (2 * ratings) / 10.0 AS rating,  -- tenths, halves up; filters and order go by what is shown
  printf('%02d:%02d', open_from / 60, open_from % 60) AS open_from,
  printf('%02d:%02d', open_until / 60, open_until % 60) AS open_until,
  (SELECT now % 86400 / 60 FROM world_clock) BETWEEN open_from AND open_until - 1 AS open_now,
  minimum_cents AS minimum_order, fee_cents AS delivery_fee, radius, prep_minutes, accepts_cash, searched
FROM restaurant;

-- How far each restaurant is from each address. Streets form a grid, so a ride is as long as both legs together, in
-- quarters of a kilometre; an order reaches the kitchen after 8 minutes, and a kilometre takes 4.
CREATE VIEW ride AS
SELECT *, metres <= radius AS in_reach, 8 + prep_minutes + metres * 4 / 1000 AS delivery_minutes
FROM (
  SELECT r.*, a.dropoff_address_id, max(250, (abs(a.x - r.x) + abs(a.y - r.y) + 125) / 250 * 250) AS metres
  FROM dropoff_address a CROSS JOIN restaurant_now r
);

-- What a search goes through: all restaurants for no address, for an address those that deliver there.
CREATE VIEW offer AS
SELECT *, NULL AS dropoff_address_id, NULL AS delivery_minutes FROM restaurant_now
UNION ALL
SELECT restaurant_id, name, street, x, y, cuisine, rating, open_from, open_until, open_now, minimum_order, delivery_fee,
  radius, prep_minutes, accepts_cash, searched, dropoff_address_id, delivery_minutes
FROM ride WHERE in_reach;

CREATE VIEW dish_now AS
SELECT d.*, d.price_cents AS price,
  EXISTS (SELECT 1 FROM option_group g WHERE g.dish_id = d.dish_id) AS has_options,
  EXISTS (SELECT 1 FROM option_group g WHERE g.dish_id = d.dish_id AND g.least > 0) AS has_required_options
FROM dish d;

CREATE VIEW dish_option_now AS
SELECT *, extra_cents AS extra_price FROM dish_option;

CREATE VIEW dropoff_address_now AS
SELECT *, NOT is_flat OR unit IS NOT NULL AS complete FROM dropoff_address;

CREATE VIEW basket_line_now AS
SELECT l.basket_line_id, l.basket_id, b.restaurant_id, l.dish_id, d.name AS dish_name, l.option_ids, l.quantity, l.note,
  l.unit_cents, l.quantity * l.unit_cents AS line_price,
  d.sold_out OR EXISTS (
    SELECT 1 FROM json_each(l.option_ids) j JOIN dish_option o ON o.option_id = j.value WHERE o.sold_out
  ) AS sold_out,
  (
    SELECT json_group_array(o.name ORDER BY j.key)
    FROM json_each(l.option_ids) j JOIN dish_option o ON o.option_id = j.value
  ) AS option_names
FROM basket_line l JOIN basket b ON b.basket_id = l.basket_id JOIN dish d ON d.dish_id = l.dish_id
WHERE b.state = 'open' AND NOT l.removed;

CREATE VIEW basket_now AS
SELECT *, max(0, minimum_order - subtotal) AS missing_to_minimum
FROM (
  SELECT b.basket_id, b.restaurant_id, b.state, b.promo_code, r.name AS restaurant_name, r.street,
    r.minimum_cents AS minimum_order, r.fee_cents,
    coalesce(
      (SELECT sum(l.quantity * l.unit_cents) FROM basket_line l WHERE l.basket_id = b.basket_id AND NOT l.removed), 0
    ) AS subtotal
  FROM basket b JOIN restaurant r ON r.restaurant_id = b.restaurant_id
  WHERE b.state <> 'emptied'
);

-- Each code on each open basket: what it would take off (a percentage is rounded down), and what stands in its way.
CREATE VIEW promo_on_basket AS
SELECT *, NOT (lapsed OR used OR repeated OR elsewhere OR short) AS usable
FROM (
  SELECT b.basket_id, p.*, min(b.subtotal, p.off_cents + b.subtotal * p.percent / 100) AS discount,
    (SELECT today FROM world_now) NOT BETWEEN p.valid_from AND p.valid_until AS lapsed,
    EXISTS (SELECT 1 FROM food_order o WHERE o.promo_code = p.code) AS used,
    p.first_order AND EXISTS (
      SELECT 1 FROM food_order o WHERE o.restaurant_id = b.restaurant_id AND NOT o.cancelled
    ) AS repeated,
    coalesce(p.restaurant_id, b.restaurant_id) <> b.restaurant_id AS elsewhere,
    b.subtotal < p.minimum_cents AS short
  FROM basket_now b CROSS JOIN promo p
  WHERE b.state = 'open'
);

CREATE VIEW order_line_now AS
SELECT l.order_id, l.position, l.dish_id, d.name AS dish_name, l.quantity, l.quantity * l.unit_cents AS line_price, (
    SELECT json_group_array(o.name ORDER BY j.key)
    FROM json_each(l.option_ids) j JOIN dish_option o ON o.option_id = j.value
  ) AS option_names
FROM food_order_line l JOIN dish d ON d.dish_id = l.dish_id;

-- An order with what the clock makes of it. Nothing else works out a stage, or when what can be done.
CREATE VIEW order_stage AS
SELECT *, stage <> 'cancelled' AND since_delivery <= 3600 AS tip_open,
  stage = 'delivered' AND since_delivery <= 7 * 86400 AS rating_open,
  stage = 'delivered' AND since_delivery <= 48 * 3600 AS report_open,
  CASE stage WHEN 'placed' THEN 0 WHEN 'confirmed' THEN total / 2 WHEN 'preparing' THEN total / 2 END AS cancel_fee,
  CASE stage
    WHEN 'placed' THEN placed_at WHEN 'confirmed' THEN confirmed_at WHEN 'preparing' THEN preparing_at
    WHEN 'riding' THEN riding_at WHEN 'delivered' THEN delivered_at ELSE cancelled_at
  END AS stage_at,
  CASE pay_with
    WHEN 'cash' THEN min(5000, 6000 - total + tip_cents) WHEN 'wallet' THEN min(5000, tip_cents + wallet_cents) ELSE 5000
  END AS highest_tip
FROM (
  SELECT o.*, w.offset, w.now - o.delivered_at AS since_delivery, a.wallet_cents,
    o.items_cents + o.fee_cents + o.tip_cents - o.discount_cents AS total,
    EXISTS (SELECT 1 FROM order_rating r WHERE r.order_id = o.order_id) AS rated,
    (SELECT p.case_id FROM problem_case p WHERE p.order_id = o.order_id) AS case_id,
    CASE
      WHEN o.cancelled THEN 'cancelled'
      WHEN w.now < o.confirmed_at THEN 'placed'
      WHEN w.now < o.preparing_at THEN 'confirmed'
      WHEN w.now < o.riding_at THEN 'preparing'
      WHEN w.now < o.delivered_at THEN 'riding'
      ELSE 'delivered'
    END AS stage
  FROM food_order o CROSS JOIN world_clock w CROSS JOIN account a
);

CREATE VIEW food_order_now AS
SELECT s.order_id, s.restaurant_id, r.name AS restaurant_name, r.street, s.pay_with, s.fee_cents, s.tip_cents AS tip,
  s.total, s.stage, s.since_delivery, s.delivered_at - s.promised_at AS late_by, s.searched,
  s.rated, s.case_id, s.highest_tip, s.tip_open, s.rating_open, s.report_open,
  s.tip_open AND s.tip_cents < s.highest_tip AS can_tip,
  s.rating_open AND NOT s.rated AS can_rate,
  s.report_open AND s.case_id IS NULL AS can_report,
  CASE WHEN s.stage IN ('riding', 'delivered') THEN c.name END AS courier_name,
  CASE s.stage
    WHEN 'riding' THEN 1.0 * s.metres * -s.since_delivery / (s.delivered_at - s.riding_at)
  END AS courier_metres,
  s.cancel_fee AS cancel_fee_now,
  strftime('%Y-%m-%dT%H:%M:%S', s.placed_at, 'unixepoch') || s.offset AS placed_at,
  strftime('%Y-%m-%dT%H:%M:%S', s.stage_at, 'unixepoch') || s.offset AS stage_since,
  strftime('%Y-%m-%dT%H:%M:%S', s.promised_at, 'unixepoch') || s.offset AS promised_at,
  CASE s.stage WHEN 'placed' THEN
    strftime('%Y-%m-%dT%H:%M:%S', s.confirmed_at, 'unixepoch') || s.offset
  END AS free_cancel_until,
  CASE WHEN s.stage <> 'cancelled' THEN
    strftime('%Y-%m-%dT%H:%M:%S', s.delivered_at, 'unixepoch') || s.offset
  END AS arrives_at,
  CASE s.stage WHEN 'delivered' THEN
    strftime('%Y-%m-%dT%H:%M:%S', s.delivered_at, 'unixepoch') || s.offset
  END AS delivered_at
FROM order_stage s
JOIN restaurant r ON r.restaurant_id = s.restaurant_id
JOIN courier c ON c.courier_id = s.courier_id;
