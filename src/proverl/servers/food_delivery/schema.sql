-- The tables of the food delivery app. Money is integer cents, moments are seconds as in world_clock, hours of the day
-- are minutes. Columns that no tool shows are called hidden.

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
  wallet_cents INTEGER NOT NULL CHECK (wallet_cents >= 0)
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
  cancel_fee_cents INTEGER                   -- hidden
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

-- How far each restaurant is from each address. Streets form a grid, so a ride is as long as both legs together, in
-- quarters of a kilometre.
CREATE VIEW ride AS
SELECT r.*, a.dropoff_address_id,
  max(250, (abs(a.x - r.x) + abs(a.y - r.y) + 125) / 250 * 250) AS metres
FROM dropoff_address a CROSS JOIN restaurant r;

CREATE VIEW basket_line_now AS
SELECT l.basket_line_id, l.basket_id, l.dish_id, d.name AS dish_name, l.option_ids, l.quantity, l.note,
  l.quantity * l.unit_cents AS line_cents,
  d.sold_out OR EXISTS (
    SELECT 1 FROM json_each(l.option_ids) j JOIN dish_option o ON o.option_id = j.value WHERE o.sold_out
  ) AS sold_out,
  (
    SELECT json_group_array(o.name ORDER BY j.key)
    FROM json_each(l.option_ids) j JOIN dish_option o ON o.option_id = j.value
  ) AS option_names
FROM basket_line l JOIN dish d ON d.dish_id = l.dish_id
WHERE NOT l.removed;

CREATE VIEW open_basket AS
SELECT b.basket_id, b.restaurant_id, b.promo_code, r.name AS restaurant_name, r.street, r.minimum_cents, r.fee_cents,
  coalesce(
    (SELECT sum(l.quantity * l.unit_cents) FROM basket_line l WHERE l.basket_id = b.basket_id AND NOT l.removed), 0
  ) AS items_cents
FROM basket b JOIN restaurant r ON r.restaurant_id = b.restaurant_id
WHERE b.state = 'open';

-- An order with what the clock makes of it. Nothing else works out a stage.
CREATE VIEW food_order_now AS
SELECT o.*, r.name AS restaurant_name, r.street, c.name AS courier_name, w.now,
  o.items_cents + o.fee_cents + o.tip_cents - o.discount_cents AS total_cents,
  CASE
    WHEN o.cancelled THEN 'cancelled'
    WHEN w.now < o.confirmed_at THEN 'placed'
    WHEN w.now < o.preparing_at THEN 'confirmed'
    WHEN w.now < o.riding_at THEN 'preparing'
    WHEN w.now < o.delivered_at THEN 'riding'
    ELSE 'delivered'
  END AS stage
FROM food_order o
JOIN restaurant r ON r.restaurant_id = o.restaurant_id
JOIN courier c ON c.courier_id = o.courier_id
JOIN world_clock w ON w.clock_id = 1;
